import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Hex, parseEther } from 'viem'
import {
  type PoolList,
  type PositionList,
  type StakingAct,
  type StakingPool,
  type SyncedStaking,
  stakingActs,
} from '../../schemas/staking.ts'
import { indexToHead } from '../indexer/fixtures/indexing.ts'
import { launchStakable } from '../indexer/fixtures/staking.ts'
import { createTestApp, NO_NODE, testConfig } from '../support/app.ts'
import type { Action } from '../support/chain-fixture.ts'
import { expiredToken, failure } from '../support/people.ts'
import { NATIVE } from '../support/staking.ts'
import { createStakingApp, mounts } from '../support/staking-app.ts'

t.setTimeout(400_000)

type Pool = Static<typeof StakingPool>
type Pools = Static<typeof PoolList>
type Positions = Static<typeof PositionList>
type Synced = Static<typeof SyncedStaking>

const service = await createStakingApp(t)
const { node, read, sync, ask, db, test } = service
const index = () => indexToHead(db, test)

const { token, stake, owner, ann, bob, eve } = await launchStakable(test)
await node.run(stake.createPool(owner, token))
const id = `${stake.contract}-1`

/** One transaction of each kind, in an order in which all of them succeed: in pool 1, by Ann. */
async function actAll(): Promise<Record<StakingAct, Hex>> {
  const run = async (action: Action) => (await node.run(action))[0]!.transactionHash
  const hashes = {
    stake: await run(stake.stake(ann, 1n, parseEther('1000'))),
    fund: await run(stake.fund(ann, 1n, parseEther('1'))),
    unstake: await run(stake.unstake(ann, 1n, parseEther('400'))),
  }
  await node.mine(600)
  return { ...hashes, withdraw: await run(stake.withdraw(ann, 1n)), claim: await run(stake.claim(ann, 1n)) }
}

for (const mount of mounts) {
  t.test(`each act is synced with the indexer stopped, and answers its records (mount '${mount}')`, async (t) => {
    const hashes = await actAll()
    const before = mount === '' ? { staked: 0n, stakers: 0 } : { staked: parseEther('600'), stakers: 1 }
    const staked = await sync<Synced>('stake', hashes.stake, ann, mount)
    t.equal(staked.status, 200)
    const { events, pools, positions, txHash } = staked.body.data
    t.equal(txHash, hashes.stake)
    t.match(events, [{ type: 'stake', poolId: id, wallet: ann, amount: String(parseEther('1000')) }])
    t.match(pools, [{ id: id, contract: stake.contract, number: '1', stakingToken: token, rewardToken: NATIVE }])
    t.match(pools, [{ totalStaked: String(before.staked + parseEther('1000')), cooldownSeconds: 600, stakerCount: 1 }])
    t.match(positions, [{ poolId: id, wallet: ann, pendingUnstake: '0', withdrawableAt: null }])
    for (const kind of stakingActs.filter((kind) => kind !== 'stake')) {
      const { status, body } = await sync<Synced>(kind, hashes[kind], ann, mount)
      t.equal(status, 200, kind)
      t.match(body.data.events, [
        { type: kind, txHash: hashes[kind], id: `${hashes[kind]}-${body.data.events[0]?.logIndex}` },
      ])
    }
    const [pool] = (await read<Pools>(`${mount}/staking/pools?token=${token}`)).body.data.items.slice(-1)
    t.match(pool, { id: id, totalStaked: String(before.staked + parseEther('600')), totalFunded: /^\d0{18}$/ })
    t.equal(
      pool?.totalPaid,
      (await read<Positions>(`${mount}/staking/positions?wallet=${ann}`)).body.data.items[0]?.claimed,
    )
    await index()
    t.strictSame(
      (await read<Pool>(`/staking/pools/${id}`)).body.data.totalStaked,
      String(before.staked + parseEther('600')),
    )
  })
}

t.test('what a receipt cannot be synced for is said, at every operation and both mounts', async (t) => {
  const everywhere = stakingActs.flatMap((act) => mounts.map((mount) => ({ act, mount })))
  const hashes = await actAll()
  const [other, reverted] = await (async () => {
    const [sent] = await node.send([stake.claim(eve, 1n)])
    const [receipt] = await node.run({ from: eve, to: bob, value: 1n })
    return [receipt!.transactionHash, sent!]
  })()
  await index()
  for (const [at, { act, mount }] of everywhere.entries()) {
    const url = `${mount}/staking/${act}`
    const name = `POST ${url}`
    const post = (payload: unknown, headers = {}) => ask({ method: 'POST', url, headers, payload: payload as object })
    const authorization = `Bearer ${service.app.issueToken(ann)}`
    for (const payload of [{ txHash: '0x12' }, { txHash: hashes[act], more: 1 }, { txHash: null }, {}]) {
      t.equal((await post(payload, { authorization })).status, 400, name)
    }
    const xml = { authorization, 'content-type': 'text/xml' }
    t.equal((await ask({ method: 'POST', url, headers: xml, payload: '<a/>' })).status, 415, name)
    t.equal((await post({ txHash: 'x'.repeat(70_000) }, { authorization })).status, 413, name)
    const refused = (hash: string, wallet?: string) => sync(act, hash, wallet, mount)
    t.strictSame(await refused(hashes[act]), failure(401, 'Missing bearer token'), name)
    t.strictSame(
      await post({ txHash: hashes[act] }, { authorization: `Bearer ${expiredToken(ann)}` }),
      failure(401, 'Invalid or expired token'),
      name,
    )
    t.strictSame(await refused(hashes[act], bob), failure(403, 'Transaction belongs to a different wallet'), name)
    t.strictSame(await refused(`0x${'12'.repeat(32)}`, ann), failure(404, 'Transaction not found'), name)
    t.strictSame(await refused(other, eve), failure(422, 'Transaction lacks the expected event'), name)
    t.strictSame(await refused(reverted, eve), failure(422, 'Transaction reverted'), name)
    const wrong = hashes[stakingActs[(stakingActs.indexOf(act) + 1) % stakingActs.length]!]
    t.strictSame(await refused(wrong, ann), failure(422, 'Transaction lacks the expected event'), name)
    // What the indexer saw first is synced all the same, once: at whichever mount comes first.
    const again = await refused(hashes[act].toUpperCase().replace('0X', '0x'), ann)
    if (at % 2 === 0) t.equal(again.status, 200, name)
    else t.strictSame(again, failure(409, 'Transaction already indexed'), name)
  }

  await t.test('while it is not mined', async (t) => {
    const [waiting] = await node.send([stake.stake(ann, 1n, 1n)])
    const answers = await Promise.all(everywhere.map(({ act, mount }) => sync(act, waiting!, ann, mount)))
    for (const answer of answers) t.strictSame(answer, failure(425, 'Transaction is not mined yet'))
    await node.mine()
  })

  await t.test('while no node answers', async (t) => {
    const config = testConfig({ ...service.environment, RPC_URL: NO_NODE, RATE_LIMITS: 'off' })
    const { app } = await createTestApp({ config, services: { db } })
    t.teardown(() => app.close())
    const headers = { authorization: `Bearer ${app.issueToken(bob)}` }
    for (const { act, mount } of everywhere) {
      const url = `${mount}/staking/${act}`
      const answer = await app.inject({ method: 'POST', url, headers, payload: { txHash: hashes[act] } })
      t.strictSame(
        { status: answer.statusCode, body: answer.json() },
        failure(503, 'The chain node is unreachable'),
        url,
      )
      t.ok(answer.headers['retry-after'])
    }
    t.equal((await app.inject('/staking/pools')).statusCode, 200, 'what is known is served all the same')
  })
})

t.test('of a hundred parallel syncs of one hash one succeeds', async (t) => {
  const [receipt] = await node.run(stake.stake(bob, 1n, 5n))
  const answers = await Promise.all(
    Array.from({ length: 100 }, (_, at) => sync('stake', receipt!.transactionHash, bob, mounts[at % 2])),
  )
  t.equal(answers.filter(({ status }) => status === 200).length, 1)
  t.equal(answers.filter(({ status }) => status === 409).length, 99)
  const rows = await db.selectFrom('staking_events').selectAll().where('wallet', '=', bob).execute()
  t.equal(rows.length, 1)
})
