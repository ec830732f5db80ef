import type { Static } from '@sinclair/typebox'
import t, { type Test } from 'tap'
import { type Address, encodeAbiParameters, type Hex, numberToHex, parseEther } from 'viem'
import { launchpadAbi } from '../../../chain/abi/launchpad.ts'
import { creatorFeeOf } from '../../../chain/creator-fees.ts'
import { parseLog, type RpcLog } from '../../../chain/logs/log.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { decodeLog, topics } from '../../../launchpads/slipway/decode.ts'
import type { Portfolio } from '../../../schemas/portfolio.ts'
import { startAudited } from '../../indexer/fixtures/audited.ts'
import { diffTables, readTables } from '../../indexer/fixtures/tables.ts'
import { launchedToken, makeActions } from '../../support/actors.ts'
import { createTestApp, testConfig } from '../../support/app.ts'

/*
 * Who can claim the creator fees of a token after splits and transfers of the right, as portfolios show it and the contract pays it.
 */
t.setTimeout(400_000)

const audited = await startAudited(t)
const { db, node, chain, deployed, index, accounts, contracts, environment, expectReports, expectFresh } = audited
const [, ann, bob, eve, zoe] = accounts as [Address, Address, Address, Address, Address]
const act = makeActions(deployed)
const { app } = await createTestApp({
  config: testConfig({ ...environment, RATE_LIMITS: 'off' }),
  services: { db, chain, getContracts: async () => contracts },
})
t.teardown(() => app.close())

const [launch] = await node.run(act.launch(ann, 'FEE', parseEther('0.5')))
const token = launchedToken(launch!)
const readFees = async () => {
  const call = { address: deployed.launchpad, abi: launchpadAbi, functionName: 'curves', args: [token] } as const
  return (await chain.client.readContract(call)).creatorFees
}
/** An odd amount, so that shares are rounded. */
const earn = () => node.run(act.buy(zoe, token, parseEther('0.03') + 7n))

/** What a portfolio says of the token: among its own, among those of others, or nothing. */
async function shareOf(wallet: Address) {
  await index()
  const { data } = (await app.inject(`/portfolio?wallet=${wallet}`)).json<{ data: Static<typeof Portfolio> }>()
  const [own, other] = [data.created, data.feeShares].map((list) => list.find((one) => one.token === token))
  const found = own ?? other
  if (!found) return null
  const { feesClaimable, feeShareBps, ownsFeeRight } = found
  return {
    list: own ? 'created' : 'feeShares',
    claimable: BigInt(feesClaimable!),
    bps: feeShareBps,
    owner: ownsFeeRight,
  }
}

/** Pays the fees out, and demands that each wallet gets what its portfolio said. */
async function expectPayout(t: Test, wallets: readonly Address[]) {
  const said = await Promise.all(wallets.map(async (wallet) => (await shareOf(wallet))?.claimable ?? 0n))
  t.equal(
    said.reduce((sum, amount) => sum + amount, 0n),
    await readFees(),
    'together all that is due',
  )
  const balances = () => Promise.all(wallets.map((address) => chain.client.getBalance({ address })))
  const before = await balances()
  await node.run(act.claimCreatorFee(zoe, token))
  const after = await balances()
  t.same(
    after.map((balance, at) => balance - before[at]!),
    said,
  )
  for (const wallet of wallets) t.notOk((await shareOf(wallet))?.claimable, 'nothing is left')
}

t.test('at first the creator has all fees', async (t) => {
  t.match(await shareOf(ann), { list: 'created', bps: 10_000, owner: true })
  t.equal(await shareOf(bob), null)
  await expectPayout(t, [ann, bob])
})

t.test('recipients of a split see their shares and claimable fees', async (t) => {
  await node.run(act.setFeeShares(ann, token, [bob, eve, bob], [3_333, 3_333, 3_334]))
  await earn()
  t.match(await shareOf(ann), { list: 'created', bps: 0, claimable: 0n, owner: true })
  t.match(await shareOf(bob), { list: 'feeShares', bps: 6_667, owner: false })
  t.match(await shareOf(eve), { list: 'feeShares', bps: 3_333, owner: false })
  await expectPayout(t, [ann, bob, eve])
  await node.run(act.setFeeShares(ann, token, [ann, eve], [9_999, 1]))
  await earn()
  t.match(await shareOf(ann), { bps: 9_999, owner: true })
  t.equal(await shareOf(bob), null, 'a former recipient gets nothing')
  await expectPayout(t, [ann, bob, eve])
})

t.test('a new owner of the fee right can split the fees and end the split', async (t) => {
  const snapshot = await node.call<Hex>('evm_snapshot')
  await node.run(act.transferFeeRight(ann, token, eve))
  await earn()
  t.match(await shareOf(ann), { list: 'created', bps: 0, owner: false })
  t.match(await shareOf(eve), { list: 'feeShares', bps: 10_000, owner: true })
  await expectPayout(t, [ann, eve])
  await node.run(act.setFeeShares(eve, token, [bob], [10_000]))
  t.match(await shareOf(eve), { list: 'feeShares', bps: 0, owner: true })
  t.match(await shareOf(bob), { bps: 10_000, owner: false })
  await node.run(act.setFeeShares(eve, token, [], []))
  await earn()
  t.match(await shareOf(eve), { bps: 10_000, owner: true })
  await expectPayout(t, [ann, bob, eve])

  await t.test('and a reorg undoes the transfer', async (t) => {
    await expectFresh('before')
    await node.call('evm_revert', snapshot)
    await node.run(...Array.from({ length: 12 }, () => act.buy(zoe, token, parseEther('0.01'))))
    await expectFresh('after')
    t.match(await shareOf(ann), { list: 'created', bps: 9_999, owner: true })
    t.match(await shareOf(eve), { list: 'feeShares', bps: 1, owner: false })
    await expectPayout(t, [ann, eve])
  })
})

t.test('a rebuild gives equal tables, and the audit reports differences', async (t) => {
  await index()
  const before = await readTables(db)
  t.ok(before.get('readable_fee_shares')!.size > 0)
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), before), [])
  await expectReports(t, [
    ['delete from fee_shares', /fee share \d+\/\d+\/0: missing/],
    ['update fee_shares set bps = bps - 1', /fee share \S+ bps: stored/],
    ['update fee_shares set recipient = owner where recipient <> owner', /fee share \S+ recipient: stored/],
    [`update actions set type = 'claim_creator_fee' where type = 'split_creator_fees'`, /action \S+ type: stored/],
  ])
})

t.test('shares are rounded down, and the last one gets the rest', async (t) => {
  const shares = [3_333, 3_333, 3_334].map((bps, index) => ({ recipient: 'abc'[index]!, bps }))
  t.same(
    shares.map(({ recipient }) => creatorFeeOf(recipient, 101n, shares)),
    [33n, 33n, 35n],
  )
  t.equal(creatorFeeOf('d', 101n, shares), 0n)
})

t.test('a split that the contract does not allow is invalid', async (t) => {
  const event = (recipients: readonly Address[], bps: readonly number[], cut = 0): RpcLog => {
    const lists = [{ type: 'address[]' }, { type: 'uint16[]' }]
    const data = encodeAbiParameters(lists, [recipients, bps])
    return {
      address: deployed.launchpad,
      topics: [
        topics.feeSharesUpdated,
        numberToHex(BigInt(token), { size: 32 }),
        numberToHex(BigInt(ann), { size: 32 }),
      ],
      data: data.slice(0, data.length - cut) as Hex,
      ...{
        blockNumber: '0x1',
        blockHash: `0x${'1'.repeat(64)}`,
        transactionHash: `0x${'2'.repeat(64)}`,
        logIndex: '0x0',
      },
    }
  }
  const decode = (log: RpcLog) => decodeLog(parseLog(log))
  t.match(decode(event([bob], [10_000])), { owner: ann, token, shares: [{ recipient: bob, bps: 10_000 }] })
  t.match(decode(event([], [])), { shares: [] })
  const ten = Array.from({ length: 10 }, () => bob)
  t.match(decode(event(ten, Array(10).fill(1_000))), { shares: { length: 10 } })
  for (const [what, log] of [
    ['another sum', event([bob, eve], [5_000, 4_999])],
    ['other counts', event([bob, eve], [10_000])],
    ['eleven recipients', event([...ten, eve], [...Array(10).fill(909), 910])],
    ['a cut list', event([bob], [10_000], 64)],
  ] as const)
    t.throws(() => decode(log), RangeError, what)
})
