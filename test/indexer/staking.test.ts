import { sql } from 'kysely'
import t, { type Test } from 'tap'
import { type Address, decodeEventLog, type Hex, parseEther } from 'viem'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import { parseLog, type RpcLog } from '../../chain/logs/log.ts'
import { rewardPrecision } from '../../chain/staking.ts'
import { decodeStakingLog, stakingTopics } from '../../chain/staking-events.ts'
import { listNotifications } from '../../db/queries/notifications.ts'
import { AppError } from '../../errors.ts'
import { connectContracts, resolveContracts } from '../../indexer/contracts.ts'
import { reindex } from '../../indexer/engine/reindex.ts'
import { syncTransaction } from '../../indexer/engine/sync.ts'
import { modules } from '../../indexer/modules.ts'
import type { StakingChainEvent } from '../../indexer/staking/events.ts'
import { notifyStakers } from '../../indexer/staking/notify.ts'
import { createTestDatabase } from '../support/database.ts'
import { deployStaking, makeStakingActions } from '../support/staking.ts'
import { startAudited } from './fixtures/audited.ts'
import { indexToHead } from './fixtures/indexing.ts'
import { launchStakable, playStaking } from './fixtures/staking.ts'
import { diffTables, readTables } from './fixtures/tables.ts'

t.setTimeout(400_000)

async function start(t: Test) {
  const audited = await startAudited(t)
  const { db } = audited
  const pools = () => db.selectFrom('staking_pools').selectAll().orderBy('id').execute()
  const positions = () => db.selectFrom('staking_positions').selectAll().orderBy('pool').orderBy('wallet').execute()
  return { ...audited, pools, positions }
}

t.test('logs decode to the same values as with decodeEventLog of viem', async (t) => {
  const { test, node, deployed } = await start(t)
  await playStaking(test)
  const filter = { address: deployed.feeStaking, fromBlock: '0x0', toBlock: 'latest', topics: [stakingTopics] }
  const logs = await node.call<RpcLog[]>('eth_getLogs', filter)
  const names = { stake: 'Staked', unstake: 'UnstakeRequested', withdraw: 'Withdrawn', claim: 'RewardPaid' }
  const seen = new Set<string>()
  for (const log of logs) {
    const event = decodeStakingLog(parseLog(log))
    const general = decodeEventLog({ abi: feeStakingAbi, topics: log.topics as [Hex, ...Hex[]], data: log.data })
    const expected = Object.fromEntries(
      Object.entries(general.args ?? {}).map(([name, value]) => [
        { poolId: 'number', account: 'wallet', funder: 'wallet' }[name] ?? name,
        typeof value === 'string' ? value.toLowerCase() : value,
      ]),
    )
    const { kind, contract, ...fields } = event!
    t.strictSame(fields, expected, general.eventName)
    t.equal(contract, deployed.feeStaking)
    t.equal({ ...names, fund: 'Funded', 'create-pool': 'PoolCreated' }[kind], general.eventName)
    seen.add(kind)
  }
  t.strictSame([...seen].sort(), ['claim', 'create-pool', 'fund', 'stake', 'unstake', 'withdraw'])
  t.equal(decodeStakingLog(parseLog({ ...logs[0]!, topics: [`0x${'00'.repeat(32)}`] })), undefined)
  t.throws(() => decodeStakingLog(parseLog({ ...logs[0]!, data: '0x' })), RangeError)
})

t.test('pools and positions equal the contract state, and a rebuild restores them', async (t) => {
  const { test, db, index, pools, positions, findDifferences, deployed } = await start(t)
  const { ann, bob, token } = await playStaking(test)
  await index()
  t.strictSame(await findDifferences(), [])
  t.match(await pools(), [
    { id: `${deployed.feeStaking}-1`, staking_token: token, staker_count: 2, total_funded: '3000000000000012345' },
    { id: `${deployed.feeStaking}-2`, reward_token: token, staker_count: 1, cooldown_seconds: 600 },
  ])
  t.strictSame(
    (await positions()).map(({ pool, wallet, staked }) => [pool.slice(43), wallet, staked]),
    [
      ...[ann, bob]
        .sort()
        .map((wallet) => ['1', wallet, wallet === ann ? String(10n ** 21n) : String(5n * 10n ** 20n)]),
      ...[ann, bob].sort().map((wallet) => ['2', wallet, wallet === ann ? '0' : String(10n ** 18n)]),
    ],
  )
  const { rows } = await sql<{ type: string; count: number }>`select type, count(*) as count from actions
    where subject like ${`${deployed.feeStaking}-%`} group by type order by type`.execute(db)
  t.strictSame(
    rows.map(({ type, count }) => [type, count]),
    [
      ['claim', 3],
      ['fund', 3],
      ['stake', 4],
      ['unstake', 2],
      ['withdraw', 1],
    ],
  )
  const before = await readTables(db)
  await db.updateTable('staking_positions').set({ claimed: '1' }).execute()
  await db.deleteFrom('staking_events').execute()
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), before), [])
})

t.test('a reorg undoes staking events, then those of the new branch are applied', async (t) => {
  const { test, node, db, index, pools, positions, expectFresh, deployed } = await start(t)
  const { ann, bob, eve, owner, token, stake } = await launchStakable(test)
  await node.run(stake.createPool(owner, token))
  await node.run(stake.stake(ann, 1n, 1_000n), stake.fund(eve, 1n, parseEther('1')))
  await index()
  const before = await readTables(db)
  await node.run(stake.stake(bob, 1n, 500n), stake.claim(ann, 1n))
  await node.run(stake.unstake(ann, 1n, 999n), stake.fund(eve, 1n, parseEther('2')))
  await node.run(stake.createPool(owner, token))
  await index()
  t.match(await pools(), [{ staker_count: 2, total_funded: String(parseEther('3')) }, { state_block: null }])
  t.equal((await positions()).find(({ wallet }) => wallet === ann)?.staked, '1')

  await node.reorg(3)
  await index()
  const after = await readTables(db)
  for (const table of ['staking_pools', 'staking_positions', 'staking_events', 'readable_actions']) {
    const only = (tables: typeof before) => new Map([[table, tables.get(table)!]])
    t.strictSame(diffTables(only(after), only(before)), [], `${table} is as if it had never come`)
  }
  await node.run(stake.stake(bob, 1n, 9n), stake.createPool(owner, token, { cooldown: 1n }))
  await expectFresh('the other branch')
  t.match(await pools(), [{ staker_count: 2 }, { id: `${deployed.feeStaking}-2`, cooldown_seconds: 1 }])

  await node.reorg(6)
  await expectFresh('without the pools')
  t.strictSame([await pools(), await positions()], [[], []])
})

t.test('a claim synced before its pool is indexed also stores the pool', async (t) => {
  const { test, node, sync, pools, positions, expectFresh } = await start(t)
  const { ann, bob, eve, owner, token, stake } = await launchStakable(test)
  await node.run(stake.createPool(owner, token))
  const [first] = await node.run(stake.stake(ann, 1n, 1_000n))
  const [funding, second] = await node.run(stake.fund(eve, 1n, parseEther('1')), stake.stake(bob, 1n, 500n))
  await node.mine(100)
  const [claim] = await node.run(stake.claim(ann, 1n))
  await sync(claim!.transactionHash, ann, 'claim')
  t.match(await pools(), [{ staking_token: token, cooldown_seconds: 600, total_staked: '1500', staker_count: 1 }])
  await sync(second!.transactionHash, bob, 'stake')
  await sync(first!.transactionHash, ann, 'stake')
  t.match(
    await positions(),
    [{ staked: String(1_000), claimed: /^[1-9]/ }, { staked: '500' }].sort(() => (ann < bob ? 0 : -1)),
  )
  await sync(funding!.transactionHash, eve, 'fund')
  t.match(await pools(), [{ total_staked: '1500', staker_count: 2, total_funded: String(parseEther('1')) }])
  for (const [hash, wallet, kind, reason] of [
    [claim!.transactionHash, ann, 'claim', 'TRANSACTION_ALREADY_INDEXED'],
    [claim!.transactionHash, bob, 'claim', 'TRANSACTION_FOREIGN'],
    [claim!.transactionHash, ann, 'stake', 'EVENT_MISSING'],
  ] as const) {
    await t.rejects(sync(hash, wallet, kind), new AppError(reason), reason)
  }
  await expectFresh('when the indexer has caught up')
})

t.test('pools with the same number in several contracts are separate', async (t) => {
  const { test, node, db, deployed, config, chain } = await start(t)
  const { ann, owner, token, stake } = await launchStakable(test)
  const other = makeStakingActions(await deployStaking(node, owner))
  const added = { kind: 'staking' as const, address: other.contract, startBlock: await node.height() }
  await node.run(stake.createPool(owner, token), other.createPool(owner, token, { cooldown: 5n }))
  await node.run(stake.stake(ann, 1n, 1_000n))
  await indexToHead(db, test)
  const wider = { ...config, deployments: [...config.deployments, added] }
  const contracts = await resolveContracts(chain, wider)
  // As a newer version that stands by, while the older one goes on.
  await connectContracts(db, chain, wider)()
  const [later] = await node.run(other.createPool(owner, token, { cooldown: 9n }))
  const request = { txHash: later!.transactionHash, wallet: owner, kind: 'pool_create' }
  const services = { db, chain, getContracts: async () => contracts }
  await t.rejects(
    syncTransaction(services, request),
    { message: 'Transaction is not mined yet' },
    'its history comes first',
  )
  await indexToHead(db, test)
  await indexToHead(db, { chain, config: wider, contracts })
  const pools = await db.selectFrom('staking_pools').selectAll().execute()
  t.strictSame(
    new Map(
      pools.map(({ id, contract, number, cooldown_seconds, total_staked }) => [
        id,
        [contract, number, cooldown_seconds, total_staked],
      ]),
    ),
    new Map([
      [`${deployed.feeStaking}-1`, [deployed.feeStaking, '1', 600, '1000']],
      [`${other.contract}-1`, [other.contract, '1', 5, '0']],
      [`${other.contract}-2`, [other.contract, '2', 9, '0']],
    ]),
    'a contract that was added later is read from its first block',
  )
})

t.test('after a rollback, an older version keeps indexing the contracts that the newer one added', async (t) => {
  const { test, node, db, sync, pools, config, chain } = await start(t)
  const { ann, owner, token, stake } = await launchStakable(test)
  const other = makeStakingActions(await deployStaking(node, owner))
  const added = { kind: 'staking' as const, address: other.contract, startBlock: await node.height() }
  await node.run(stake.createPool(owner, token), other.createPool(owner, token))
  const wider = { ...config, deployments: [...config.deployments, added] }
  const newer = { chain, config: wider, contracts: await resolveContracts(chain, wider) }
  const fresh = async () => {
    const { db } = await createTestDatabase(t)
    await indexToHead(db, newer)
    return readTables(db)
  }
  await indexToHead(db, newer)

  await node.run(other.createPool(owner, token, { cooldown: 9n }))
  await indexToHead(db, test)
  t.strictSame(diffTables(await readTables(db), await fresh()), [], 'its logs are read')
  t.equal((await pools()).length, 3)

  await node.reorg(1)
  const [staked] = await node.run(stake.stake(ann, 1n, 1_000n))
  await sync(staked!.transactionHash, ann, 'stake')
  t.equal((await pools()).length, 2, 'and a receipt sync undoes its events')
  await indexToHead(db, test)
  t.strictSame(diffTables(await readTables(db), await fresh()), [])
})

t.test('a funding above the minimum notifies stakers once, and a reorg deletes the notification', async (t) => {
  const { test, node, db, index, sync } = await start(t)
  const { ann, bob, eve, owner, token, stake, deployed } = { ...test, ...(await launchStakable(test)) }
  const pool = `${deployed.feeStaking}-1`
  const notified = async (recipient: Address) =>
    (await listNotifications(db, { recipient, unread: false, limit: 100, after: null })).filter(
      ({ type }) => type === 'reward_funded',
    )
  await node.run(stake.createPool(owner, token))
  await node.run(stake.stake(ann, 1n, 1_000n))
  await index()
  const [funding] = await node.run(stake.fund(eve, 1n, parseEther('1')))
  await node.run(stake.stake(bob, 1n, 5n), stake.fund(bob, 1n, 1n))
  await sync(funding!.transactionHash, eve, 'fund')
  await index()
  await index()
  const [notification, ...others] = await notified(ann)
  t.match(notification, { actor: eve, subject: pool, token: null })
  const { timestamp, ...payload } = notification!.payload
  t.strictSame(payload, {
    amount: String(parseEther('1')),
    totalFunded: String(parseEther('1')),
    txHash: funding!.transactionHash,
    blockNumber: Number(funding!.blockNumber),
    logIndex: Number(funding!.logs[0]?.logIndex),
  })
  t.match(timestamp, /^2026-09-\d\dT.*Z$/)
  t.strictSame(others, [], 'nobody is notified of one base unit')
  t.strictSame(await notified(bob), [], 'nor is a funding to who staked after it')
  await reindex(db, modules)
  t.equal((await notified(ann)).length, 1)
  await node.run(stake.fund(bob, 1n, parseEther('2')))
  await index()
  t.equal((await notified(ann)).length, 2)
  t.strictSame(await notified(bob), [], 'nobody is notified of their own funding')
  await node.reorg(1)
  await node.mine()
  await index()
  t.equal((await notified(ann)).length, 1)
})

t.test('totals stay correct when events synced first are followed by earlier ones', async (t) => {
  const { test, node, db, index, sync, pools, findDifferences } = await start(t)
  const { ann, bob, eve, owner, token, stake } = await launchStakable(test)
  await node.run(stake.createPool(owner, token))
  await node.run(stake.stake(ann, 1n, 1_000n))
  await index()
  await node.run(stake.fund(eve, 1n, parseEther('1')), stake.stake(bob, 1n, 300n))
  const [funding] = await node.run(stake.fund(bob, 1n, parseEther('2')))
  const [staking] = await node.run(stake.stake(ann, 1n, 500n))
  await sync(funding!.transactionHash, bob, 'fund')
  await sync(staking!.transactionHash, ann, 'stake')
  const expected = { total_funded: String(parseEther('3')), total_staked: '1800' }
  t.match(await pools(), [expected])
  await index()
  t.match(await pools(), [expected])
  const amounts = await db.selectFrom('staking_positions').select('staked').orderBy('staked').execute()
  t.same(
    amounts.map(({ staked }) => staked),
    ['300', '1500'],
  )
  t.strictSame(await findDifferences(), [])
})

t.test(
  'fundings of an idle pool notify stakers once a day, unless another wallet funds more than all before',
  async (t) => {
    const { test, node, db, index } = await start(t)
    const { ann, bob, eve, owner, token, stake } = await launchStakable(test)
    await node.run(stake.createPool(owner, token))
    await node.run(stake.stake(ann, 1n, 1_000n))
    await index()
    const countFunded = async (from = db) => {
      const rows = await from.selectFrom('notifications').select('actor').where('type', '=', 'reward_funded').execute()
      return [eve, bob, owner].map((wallet) => rows.filter(({ actor }) => actor === wallet).length)
    }
    for (const amount of [1n, 1n, 2n, 100n]) await node.run(stake.fund(eve, 1n, amount))
    await index()
    t.strictSame(await countFunded(), [1, 0, 0], 'not again, however much more it is')
    for (const amount of [104n, 105n]) await node.run(stake.fund(bob, 1n, amount))
    await index()
    t.strictSame(await countFunded(), [1, 0, 0], 'no more than all before')
    await node.run(stake.fund(owner, 1n, parseEther('1')))
    await index()
    t.strictSame(await countFunded(), [1, 0, 1])
    const fresh = await createTestDatabase(t)
    await indexToHead(fresh.db, test)
    t.strictSame(await countFunded(fresh.db), [1, 0, 1], 'also in one batch')

    await node.mine(30 * 86_400)
    await node.run(stake.fund(bob, 1n, parseEther('0.00009')))
    await node.run(stake.fund(eve, 1n, parseEther('0.0002')))
    await index()
    t.strictSame(await countFunded(), [2, 0, 1], 'on another day, if it is a ten-thousandth of all fundings')
    await node.mine(86_400)
    await node.run(stake.fund(eve, 1n, parseEther('0.0002')))
    await index()
    t.strictSame(await countFunded(), [3, 0, 1], 'a regular funding notifies each day')
    await node.reorg(1)
    await node.mine()
    await index()
    t.strictSame(await countFunded(), [2, 0, 1])
  },
)

t.test('a funding notifies stakers if it is recent and above the minimum', async (t) => {
  const { test, node, db, index, deployed } = await start(t)
  const { ann, eve, owner, token, stake } = await launchStakable(test)
  await node.run(stake.createPool(owner, token))
  await node.run(stake.stake(ann, 1n, 1_000n))
  await index()
  const { clock_time: clock } = await db.selectFrom('chain_state').select('clock_time').executeTakeFirstOrThrow()
  const blockNumber = (await node.height()) + 1
  const notify = (amount: bigint, age: number, logIndex: number) => {
    const at = { blockNumber, logIndex, txHash: `0x${'f'.repeat(64)}`, time: clock - age, nativeUsd: null }
    // 10,000 base units are ahead.
    const rest = { rewardRate: rewardPrecision, lastUpdateTime: 0n, periodFinish: 10_000n, totalFunded: amount }
    const funding = { at, kind: 'fund', pool: `${deployed.feeStaking}-1`, wallet: eve, amount, ...rest }
    return db
      .transaction()
      .execute((trx) => notifyStakers(trx, [funding as unknown as Extract<StakingChainEvent, { kind: 'fund' }>], clock))
  }
  for (const [logIndex, [amount, age, count]] of (
    [
      [99n, 0, 0],
      [100n, 0, 1],
      [101n, 0, 1],
      [100n, 3_600, 1],
      [100n, 3_601, 0],
    ] as const
  ).entries())
    t.equal((await notify(amount, age, logIndex)).length, count, `${amount}, ${age} s old`)
})

t.test('the audit reports damaged rows of staking', async (t) => {
  const { test, index, expectReports } = await start(t)
  await playStaking(test)
  await index()
  const damages: [statement: string, line: RegExp][] = [
    [`update staking_pools set total_staked = total_staked + 1`, /staking pool 0x\S+ total_staked: stored/],
    [`update staking_pools set total_paid = total_paid - 1`, /total_paid: stored/],
    [`update staking_pools set staker_count = 7`, /staker_count: stored 7/],
    [`update staking_pools set period_finish = period_finish + 1`, /period_finish: stored/],
    [`update staking_pools set cooldown_seconds = 601`, /cooldown_seconds: stored 601, should be 600/],
    [`update staking_pools set funded_block = 1`, /funded_block: stored 1/],
    [`delete from staking_pools where id like '%-2'`, /pools: stored 1, should be 2/],
    [`update staking_positions set staked = staked + 1`, /staked: stored/],
    [`update staking_positions set rewards = rewards + 1`, /earned: stored/],
    [`update staking_positions set claimed = claimed + 1`, /claimed: stored/],
    [`update staking_positions set withdrawable_at = 1`, /withdrawable_at: stored 1/],
    [`delete from staking_positions where pool like '%-2'`, /staking position 0x\S+: missing/],
    // More than the audit reads at a time.
    [
      `insert into staking_positions (pool, wallet, state_block, state_log, staked, pending_unstake, withdrawable_at, rewards,
          reward_per_token_paid)
        select min(id), '0x' || lpad(to_hex(i), 40, '0'), 1, 0, i, 0, 0, 0, 0 from staking_pools, generate_series(1, 501) i group by i`,
      /staking position 0x\S+\/0x0{37}1f5 staked: stored 501, should be 0/,
    ],
    [`update staking_events set amount = amount + 1 where kind = 'fund'`, /staking event \d+\/\d+ amount: stored/],
    [`delete from staking_events where kind = 'unstake'`, /staking event \d+\/\d+: missing/],
    [`delete from actions where type = 'withdraw'`, /action \d+\/\d+: missing/],
  ]
  await expectReports(t, damages)
})
