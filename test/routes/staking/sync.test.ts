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
} from '../../../schemas/staking.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { launchStakable } from '../../indexer/fixtures/staking.ts'
import { createChainApp } from '../../support/chain-app.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { countStatuses, mounts } from '../../support/client.ts'
import { NATIVE } from '../../support/staking.ts'

t.setTimeout(400_000)

type Pool = Static<typeof StakingPool>
type Pools = Static<typeof PoolList>
type Positions = Static<typeof PositionList>
type Synced = Static<typeof SyncedStaking>

const service = await createChainApp(t)
const { node, read, post, db, test } = service
const index = () => indexToHead(db, test)

const { token, stake, owner, ann, bob } = await launchStakable(test)
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
  t.test(`each action is synced with the indexer stopped, and returns its records (mount '${mount}')`, async (t) => {
    const hashes = await actAll()
    const before = mount === '' ? { staked: 0n, stakers: 0 } : { staked: parseEther('600'), stakers: 1 }
    const staked = await post<Synced>(`${mount}/staking/stake`, { txHash: hashes.stake }, ann)
    t.equal(staked.status, 200)
    const { events, pools, positions, txHash } = staked.body.data
    t.equal(txHash, hashes.stake)
    t.match(events, [{ type: 'stake', poolId: id, wallet: ann, amount: String(parseEther('1000')), quote: null }])
    t.match(pools, [
      {
        id: id,
        contract: stake.contract,
        number: '1',
        stakingToken: token,
        rewardToken: NATIVE,
        quote: { symbol: 'ETH' },
      },
    ])
    t.match(pools, [{ totalStaked: String(before.staked + parseEther('1000')), cooldownSeconds: 600, stakerCount: 1 }])
    t.match(positions, [
      { poolId: id, wallet: ann, pendingUnstake: '0', withdrawableAt: null, quote: { symbol: 'ETH' } },
    ])
    for (const kind of stakingActs.filter((kind) => kind !== 'stake')) {
      const { status, body } = await post<Synced>(`${mount}/staking/${kind}`, { txHash: hashes[kind] }, ann)
      t.equal(status, 200, kind)
      t.match(body.data.events, [
        {
          type: kind,
          txHash: hashes[kind],
          id: `${hashes[kind]}-${body.data.events[0]?.logIndex}`,
          quote: kind === 'claim' || kind === 'fund' ? { symbol: 'ETH' } : null,
        },
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

t.test('one of a hundred parallel syncs of a hash succeeds', async (t) => {
  const [receipt] = await node.run(stake.stake(bob, 1n, 5n))
  const statuses = await countStatuses(100, (at) =>
    post(`${mounts[at % 2]}/staking/stake`, { txHash: receipt!.transactionHash }, bob),
  )
  t.strictSame(statuses, { 200: 1, 409: 99 })
  const rows = await db.selectFrom('staking_events').selectAll().where('wallet', '=', bob).execute()
  t.equal(rows.length, 1)
})
