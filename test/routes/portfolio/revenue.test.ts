import type { Static } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { launchpadAbi } from '../../../chain/abi/launchpad.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import type { Portfolio } from '../../../schemas/portfolio.ts'
import type { RevenueList } from '../../../schemas/revenue.ts'
import { startNadFun } from '../../indexer/fixtures/launchpads/nad-fun.ts'
import { diffTables, readTables } from '../../indexer/fixtures/tables.ts'
import { deployBatch, launchedToken, makeActions } from '../../support/actors.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { failure } from '../../support/people.ts'

/*
 * What the trades of a token earned for its creator, and whom the launchpad has paid: for a token, for a recipient, and for all
 * tokens of a wallet.
 */
t.setTimeout(400_000)

const audited = await startNadFun(t)
const { db, node, chain, deployed, index, accounts, contracts, environment, nadFun, sync } = audited
const { expectReports, expectFresh, ann, bob, eve } = audited
const zoe = accounts[4] as Address
const act = makeActions(deployed)
const { app } = await createTestApp({
  config: testConfig({ ...environment, RATE_LIMITS: 'off' }),
  services: { db, chain, getContracts: async () => contracts },
})
t.teardown(() => app.close())

const get = async (path: string) => (await app.inject(path)).json()
const asset = { address: '0x0000000000000000000000000000000000000000', symbol: 'ETH', decimals: 18 }
const [launch] = await node.run(act.launch(ann, 'FEE', parseEther('0.5')))
const token = launchedToken(launch!)
const [launchOther] = await node.run(act.launch(ann, 'TWO', parseEther('0.2')))
const other = launchedToken(launchOther!)

/** An odd amount, so that shares are rounded. */
const earn = (of = token) => node.run(act.buy(zoe, of, parseEther('0.03') + 7n))
const readFees = async (of: Address) => {
  const call = { address: deployed.launchpad, abi: launchpadAbi, functionName: 'curves', args: [of] } as const
  return (await chain.client.readContract(call)).creatorFees
}
async function revenueOf(of: Address, wallet?: Address) {
  await index()
  const query = wallet ? `?wallet=${wallet}` : ''
  const { data } = (await get(`/tokens/${of}/revenue${query}`)) as { data: Static<typeof RevenueList> }
  t.equal(data.items.length, 1)
  t.match(data.items[0], { asset })
  const { earned, claimed, unclaimed } = data.items[0]!
  return { earned: BigInt(earned!), claimed: BigInt(claimed!), unclaimed: BigInt(unclaimed!) }
}
async function totalsOf(wallet: Address) {
  await index()
  return ((await get(`/portfolio?wallet=${wallet}`)) as { data: Static<typeof Portfolio> }).data.revenue
}
const balanceOf = (address: Address) => chain.client.getBalance({ address })

/** Demands that the parts of these wallets are the whole, and that what each can claim of a token is what a payout pays it. */
async function expectPayout(t: Test, of: Address, wallets: readonly Address[]) {
  const read = () => Promise.all(wallets.map((wallet) => revenueOf(of, wallet)))
  const [whole, before] = [await revenueOf(of), await read()]
  t.equal(whole.unclaimed, await readFees(of), 'what the contract has not paid out')
  const sum = (part: keyof typeof whole) => before.reduce((total, own) => total + own[part], 0n)
  t.same({ earned: sum('earned'), claimed: sum('claimed'), unclaimed: sum('unclaimed') }, whole)
  const held = await Promise.all(wallets.map(balanceOf))
  await node.run(act.claimCreatorFee(zoe, of))
  const [after, paid] = [await read(), await Promise.all(wallets.map(balanceOf))]
  for (const [at, own] of before.entries()) {
    t.equal(paid[at]! - held[at]!, own.unclaimed, 'the chain pays what can be claimed')
    t.same(after[at], { earned: own.earned, claimed: own.claimed + own.unclaimed, unclaimed: 0n })
  }
}

t.test('all fees are the creator’s until they are split', async (t) => {
  const first = await revenueOf(token)
  await earn()
  const whole = await revenueOf(token)
  const { fees } = await db
    .selectFrom('readable_trades')
    .select(({ fn }) => fn.sum<string>('creator_fee').as('fees'))
    .where('token', '=', token)
    .executeTakeFirstOrThrow()
  t.ok(whole.earned > first.earned)
  t.same(whole, { earned: BigInt(fees), claimed: 0n, unclaimed: whole.earned })
  t.same(await revenueOf(token, ann), whole)
  t.same(await revenueOf(token, bob), { earned: 0n, claimed: 0n, unclaimed: 0n })
  await expectPayout(t, token, [ann, bob])
})

t.test('a split and a transfer of the right count from the next payout on', async (t) => {
  await earn()
  await node.run(act.setFeeShares(ann, token, [bob, eve, bob], [3_333, 3_333, 3_334]))
  await earn()
  await expectPayout(t, token, [ann, bob, eve])
  await earn()
  await node.run(act.transferFeeRight(ann, token, eve))
  await earn()
  t.equal((await revenueOf(token, ann)).unclaimed, 0n)
  t.equal((await revenueOf(token, bob)).unclaimed, 0n)
  await expectPayout(t, token, [ann, bob, eve])
})

t.test('what a recipient does not accept counts as paid', async (t) => {
  const [balance, { claimed }] = [await balanceOf(token), await revenueOf(token)]
  await node.run(act.setFeeShares(eve, token, [token, eve], [5_000, 5_000]))
  await earn()
  const { unclaimed } = await revenueOf(token, token)
  t.ok(unclaimed > 0n)
  await node.run(act.claimCreatorFee(zoe, token))
  t.equal(await balanceOf(token), balance, 'the contract of the token takes no coins')
  t.same(await revenueOf(token, token), { earned: unclaimed, claimed: unclaimed, unclaimed: 0n })
  t.ok((await revenueOf(token)).claimed > claimed)
  t.equal((await revenueOf(token)).unclaimed, await readFees(token))
})

t.test('a portfolio has the sums of all tokens, and counts those whose fees are unknown', async (t) => {
  await earn()
  await earn(other)
  const sumOf = async (wallet: Address) => {
    const [one, two] = [await revenueOf(token, wallet), await revenueOf(other, wallet)]
    const sum = (part: keyof typeof one) => String(one[part] + two[part])
    return { asset, earned: sum('earned'), claimed: sum('claimed'), unclaimed: sum('unclaimed') }
  }
  for (const wallet of [ann, bob, eve])
    t.same(await totalsOf(wallet), { items: [{ ...(await sumOf(wallet)), unknownTokens: 0 }], truncated: false })
  t.same(await totalsOf(zoe), { items: [], truncated: false })

  const { token: unknown } = await nadFun.createToken(zoe, { value: parseEther('100') })
  await nadFun.createToken(ann, { value: parseEther('100') })
  await index()
  const nothing = { asset, earned: null, claimed: null, unclaimed: null }
  t.same((await get(`/tokens/${unknown}/revenue`)).data.items, [nothing])
  t.same((await get(`/tokens/${unknown}/revenue?wallet=${zoe}`)).data.items, [nothing])
  t.same(await totalsOf(zoe), { items: [{ ...nothing, unknownTokens: 1 }], truncated: false })
  t.same((await totalsOf(ann)).items, [{ ...(await sumOf(ann)), unknownTokens: 1 }])
  const { data } = (await get(`/portfolio?wallet=${zoe}`)) as { data: Static<typeof Portfolio> }
  const unknownFees = { feesEarned: null, feesClaimed: null, feesClaimable: null, feeShareBps: null }
  t.match(data.created, [{ token: unknown, ...unknownFees, ownsFeeRight: false }])
})

t.test('a token that is not launched has no revenue', async (t) => {
  const missing = `0x${'7'.repeat(40)}`
  const read = async (path: string) => {
    const response = await app.inject(path)
    return { status: response.statusCode, body: response.json() }
  }
  t.same(await read(`/tokens/${missing}/revenue`), failure(404, `Token ${missing} not found`))
  t.same(await read(`/api/tokens/${missing}/revenue?wallet=${ann}`), failure(404, `Token ${missing} not found`))
  t.equal((await read(`/tokens/0x7/revenue`)).status, 400)
  t.equal((await read(`/tokens/${token}/revenue?wallet=0x7`)).status, 400)
})

t.test('a reorg takes payouts back, of a recipient with others and of one without', async (t) => {
  await index()
  const before = [await revenueOf(token, eve), await revenueOf(other, bob), await revenueOf(other, ann)]
  const snapshot = await node.call<Hex>('evm_snapshot')
  await earn()
  await node.run(act.claimCreatorFee(zoe, token))
  await node.run(act.transferFeeRight(ann, other, bob))
  await earn(other)
  await node.run(act.claimCreatorFee(zoe, other))
  await expectFresh('before')
  t.ok((await revenueOf(other, bob)).claimed > 0n)
  t.ok((await revenueOf(token, eve)).claimed > before[0]!.claimed)
  await node.call('evm_revert', snapshot)
  for (let left = 8; left > 0; left--) await node.mine()
  await expectFresh('after')
  t.same([await revenueOf(token, eve), await revenueOf(other, bob), await revenueOf(other, ann)], before)
})

t.test('a receipt sync ahead of the indexer stores its payouts once', async (t) => {
  const { wallets, bundle } = await deployBatch(node, [ann])
  await index()
  const paid = (await revenueOf(other, ann)).claimed
  await earn(other)
  const trader = wallets[0]!
  const actions = [act.buy(trader, other, 1_000_000n), act.claimCreatorFee(trader, other)]
  const due = await readFees(other)
  const [receipt] = await node.run(bundle(eve, actions))
  await sync(receipt!.transactionHash, trader, 'buy')
  const row = await db
    .selectFrom('readable_creator_revenue')
    .select('claimed')
    .where('token', '=', other)
    .where('recipient', '=', ann)
    .executeTakeFirst()
  t.equal(BigInt(row?.claimed ?? 0), paid + due + 5_000n, 'with the fee of the purchase itself')
  await expectFresh('when the indexer has caught up')
})

t.test('a rebuild gives equal tables, and the audit reports wrong rows', async (t) => {
  await index()
  const before = await readTables(db)
  t.ok(before.get('readable_creator_revenue')!.size >= 4)
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), before), [])
  const one = 'where (token_id, recipient) = (select token_id, recipient from creator_revenue order by 1, 2 limit 1)'
  const unpaid = /token \S+ unclaimed_creator_fees: stored \d+, should be \d+/
  await expectReports(t, [
    [`update creator_revenue set claimed = claimed - 1 ${one}`, unpaid],
    [`update creator_revenue set claimed = claimed + 1 ${one}`, /revenue \S+ claimed: stored/],
    [`update creator_revenue set recipient = '\\x01' ${one}`, /revenue \S+: missing/],
    [`delete from creator_revenue ${one}`, unpaid],
    [`insert into creator_revenue select token_id, '\\x02', 3 from creator_revenue ${one}`, /revenue \S+: stored, but/],
    ['update token_figures set creator_fees_claimed = creator_fees_claimed + 1', /creator_fees_claimed: stored/],
  ])
})
