import t from 'tap'
import { type Address, type Hex, parseEther } from 'viem'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchForRaises } from '../../indexer/fixtures/raises.ts'
import { launchStakable } from '../../indexer/fixtures/staking.ts'
import { makeActions } from '../../support/actors.ts'
import { createTestApp, NO_NODE, testConfig } from '../../support/app.ts'
import { createChainApp } from '../../support/chain-app.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { headersOf, mounts } from '../../support/client.ts'
import { fieldsOf, operations } from '../../support/operations.ts'
import { failure } from '../../support/people.ts'
import { EXIT_WINDOW, FOR, reachTime, readTime } from '../../support/raises.ts'

/*
 * What a receipt cannot be synced for, at every operation of the API's document that takes a transaction, and at both
 * mounts. An operation that is new fails the first test until there is a transaction for it here.
 */
t.setTimeout(400_000)

const service = await createChainApp(t)
const { node, deployed, db, post, test } = service
const act = makeActions(deployed)
const run = async (action: Action): Promise<Hex> => (await node.run(action))[0]!.transactionHash

interface Deed {
  wallet: Address
  txHash: Hex
  /** What the path names, and another of the kind, which the transaction does nothing to. */
  id?: string
  other?: string
}

const { token, launch, stake, owner, ann, bob } = await launchStakable(test)
const { raise, token: raised, eve } = await launchForRaises(test)
const dan = test.accounts[6] as Address
const idOf = (number: bigint) => `${raise.contract}-${number}`
const synced = operations.filter((operation) => fieldsOf(operation).includes('txHash'))
const deeds = { ...(await trade()), ...(await playPool()), ...(await playRaise()) }
// Eve takes part in none of what is synced.
const [reverted, plain, pending] = [(await node.send([raise.claim(eve, 1n)]))[0]!, await run(pay()), pay()]
await indexToHead(db, test)

function pay(): Action {
  return { from: eve, to: bob, value: 1n }
}

async function trade(): Promise<Record<string, Deed>> {
  return {
    createToken: { wallet: ann, txHash: launch.transactionHash },
    syncBuy: { wallet: bob, txHash: await run(act.buy(bob, token, parseEther('0.1'))) },
    syncSell: { wallet: bob, txHash: await run(act.sell(bob, token, parseEther('1'))) },
  }
}

async function playPool(): Promise<Record<string, Deed>> {
  await node.run(stake.createPool(owner, token))
  const by = async (action: Action): Promise<Deed> => ({ wallet: ann, txHash: await run(action) })
  const begun = {
    syncStake: await by(stake.stake(ann, 1n, parseEther('1000'))),
    syncFunding: await by(stake.fund(ann, 1n, parseEther('1'))),
    syncUnstake: await by(stake.unstake(ann, 1n, parseEther('400'))),
  }
  await node.mine(600)
  return {
    ...begun,
    syncWithdrawal: await by(stake.withdraw(ann, 1n)),
    syncRewardClaim: await by(stake.claim(ann, 1n)),
  }
}

/** Raise 1 succeeds, with two proposals; raise 2 fails. Bob is in all of it. */
async function playRaise(): Promise<Record<string, Deed>> {
  const now = await readTime(node)
  const [startAt, endAt] = [now + 100n, now + 1_000n]
  const opening = await run(raise.create(ann, { token: raised, registrationStart: now, startAt, endAt }))
  await node.run(raise.create(ann, { token: raised, endAt }))
  const by = async (action: Action, id = 1n): Promise<Deed> => ({
    ...{ wallet: bob, txHash: await run(action) },
    ...{ id: idOf(id), other: idOf(id === 1n ? 2n : 1n) },
  })
  const syncRegistration = await by(raise.register(bob, 1n))
  await node.run(raise.register(dan, 1n))
  await reachTime(node, startAt)
  const syncCommitment = await by(raise.commit(bob, 1n, parseEther('5')))
  await node.run(raise.commit(bob, 2n, 1n), raise.commit(dan, 1n, 4n))
  await reachTime(node, endAt)
  const ended = {
    syncFinalization: await by(raise.finalize(bob, 1n)),
    syncTokenClaim: await by(raise.claim(bob, 1n)),
    syncRefund: await by(raise.refund(bob, 2n), 2n),
    syncProposal: await by(raise.propose(bob, 1n, 5n, bob)),
  }
  await node.run(raise.propose(ann, 1n, 5n, ann))
  const syncVote = await by(raise.vote(bob, 1n, FOR))
  await node.mine(3_600)
  const syncExit = { ...(await by(raise.exit(dan, 1n))), wallet: dan }
  await node.mine(EXIT_WINDOW)
  const createRaise = { wallet: ann, txHash: opening }
  return {
    createRaise,
    syncRegistration,
    syncCommitment,
    ...ended,
    syncVote,
    syncExit,
    syncExecution: await by(raise.execute(bob, 1n)),
  }
}

const everywhere = synced.flatMap(({ id: name, path }, at) =>
  mounts.map((mount) => {
    const deed = deeds[name] as Deed
    const [url, wrong] = [deed.id, deed.other].map((id) => mount + path.replace('{id}', id ?? ''))
    const stranger = deeds[synced[(at + 1) % synced.length]!.id] as Deed
    return { ...deed, name: `POST ${mount}${path}`, url: url!, wrong: deed.other && wrong!, stranger, mount }
  }),
)

t.test('every operation with a transaction hash is tested', async (t) => {
  t.strictSame(Object.keys(deeds).sort(), synced.map(({ id }) => id).sort())
  for (const { method, path, security } of synced) t.strictSame([method, security], ['POST', 'required'], path)
})

for (const { name, url, wallet, txHash, wrong, stranger } of everywhere) {
  t.test(`${name} returns the documented error for each invalid receipt`, async (t) => {
    const sync = (hash: unknown, by: string = wallet, at = url) => post(at, { txHash: hash }, by)
    const lacks = failure(422, 'Transaction lacks the expected event')
    for (const payload of [{ txHash: '0x12' }, { txHash, more: 1 }, { txHash: null }, {}])
      t.equal((await post(url, payload, wallet)).status, 400)
    t.strictSame(await sync(txHash, eve), failure(403, 'Transaction belongs to a different wallet'))
    t.strictSame(await sync(`0x${'12'.repeat(32)}`), failure(404, 'Transaction not found'))
    t.strictSame(await sync(reverted, eve), failure(422, 'Transaction reverted'))
    t.strictSame(await sync(plain, eve), lacks)
    t.strictSame(await sync(stranger.txHash, stranger.wallet), lacks, 'something else was done')
    if (wrong === undefined) return
    t.strictSame(await sync(txHash, wallet, wrong), lacks, 'it was done to another')
    for (const bad of ['-01', '', '-1x'])
      t.equal((await sync(txHash, wallet, url.replace(/-\d+(?=\/)/, bad))).status, 400, bad)
  })
}

t.test('while no node responds, nothing is written and reads work', async (t) => {
  const config = testConfig({ ...service.environment, RPC_URL: NO_NODE })
  const { app } = await createTestApp({ config, services: { db } })
  t.teardown(() => app.close())
  for (const { url, wallet, txHash } of everywhere) {
    const headers = headersOf(app, wallet)
    const answer = await app.inject({ method: 'POST', url, headers, payload: { txHash } })
    const { statusCode: status } = answer
    t.strictSame({ status, body: answer.json() }, failure(503, 'The chain node is unreachable'), url)
    t.ok(answer.headers['retry-after'])
  }
  t.strictSame(await db.selectFrom('claims').selectAll().execute(), [])
  for (const url of ['/tokens', '/raises', `/raises/${idOf(1n)}`, `/proposals/${idOf(1n)}`, '/staking/pools'])
    t.equal((await app.inject(url)).statusCode, 200, url)
})

t.test('a transaction that the indexer saw first is synced once, at either mount', async (t) => {
  for (const { name, mount, url, wallet, txHash } of everywhere) {
    const answer = await post(url, { txHash: txHash.toUpperCase().replace('0X', '0x') }, wallet)
    if (mount === '') t.equal(answer.status, 200, name)
    else t.strictSame(answer, failure(409, 'Transaction already indexed'), name)
  }
})

t.test('a pending transaction is awaited for a bounded time, then 425', async (t) => {
  const [txHash] = await node.send([pending])
  const answers = await Promise.all(everywhere.map(({ url }) => post(url, { txHash }, eve)))
  for (const answer of answers) t.strictSame(answer, failure(425, 'Transaction is not mined yet'))
})
