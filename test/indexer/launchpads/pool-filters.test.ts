import t from 'tap'
import { type Address, type Hex, toHex, zeroAddress } from 'viem'
import { Chain } from '../../../chain/rpc/client.ts'
import { tokenTopics } from '../../../chain/token-events.ts'
import { createTestDatabase } from '../../support/database.ts'
import { failure, on, startHostileNode } from '../../support/hostile/node.ts'
import { clankerV4Events, poolManagerEvents } from '../../support/launchpads/abi.ts'
import { emitLogs, encodeLog } from '../../support/launchpads/emitter.ts'
import { startEmitters } from '../fixtures/emitters.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

/** More than a filter lists. */
const LAUNCHES = 1_020
const PER_TRANSACTION = 100

const idOf = (at: number): Hex => toHex(2n ** 255n + BigInt(at), { size: 32 })
const tokenOf = (at: number): Address => toHex(2n ** 159n + BigInt(at), { size: 20 })

interface Filter {
  address?: Address[]
  topics: [Hex[], (Hex | Hex[] | null)?]
}

t.test('logs of a manager are requested by the pools that are followed', async (t) => {
  const started = await startEmitters(t, {
    names: ['clanker', 'manager', 'other'],
    followed: { clanker: 'clanker-v4', manager: 'uniswap-v4-pool-manager' },
  })
  const { say, emitters, ann, test, config, node, db: atHead, index } = started
  const { manager } = emitters
  const launch = (at: number) =>
    encodeLog(clankerV4Events, 'TokenCreated', {
      ...{ tokenAddress: tokenOf(at), tokenAdmin: ann, poolId: idOf(at), pairedToken: zeroAddress, msgSender: ann },
      ...{ tokenImage: '', tokenName: 'n', tokenSymbol: 's', tokenMetadata: '', tokenContext: '', startingTick: -1 },
      ...{ poolHook: ann, locker: ann, mevModule: ann, extensionsSupply: 0n, extensions: [] },
    })
  const initialize = (id: Hex) =>
    encodeLog(poolManagerEvents, 'Initialize', {
      ...{ id, currency0: zeroAddress, currency1: zeroAddress, fee: 0, tickSpacing: 1, hooks: zeroAddress },
      ...{ sqrtPriceX96: 2n ** 96n, tick: 0 },
    })
  const swap = (id: Hex) =>
    encodeLog(poolManagerEvents, 'Swap', {
      ...{ id, sender: ann, amount0: -3n, amount1: 7n, sqrtPriceX96: 2n ** 96n, liquidity: 1n, tick: 0, fee: 0 },
    })
  const launchFrom = async (first: number, count: number) => {
    for (let at = first; at < first + count; at += PER_TRANSACTION) {
      const numbers = Array.from({ length: Math.min(PER_TRANSACTION, first + count - at) }, (_, next) => at + next)
      await say(...numbers.map((one) => ['clanker', launch(one)] as ['clanker', ReturnType<typeof launch>]))
    }
  }
  const requests: Filter[] = []
  const recording = await startHostileNode(t, test.anvil.url)
  const record = on('eth_getLogs', ({ params }) => {
    requests.push(params[0] as Filter)
    return undefined
  })
  recording.follow(record)
  const { db } = await createTestDatabase(t)
  const chain = new Chain([recording.url], { retries: 0 })
  const ranges = { ...test, chain, config: { ...config, finality: { unit: 'blocks' as const, amount: 0 } } }
  const takeRequests = async () => {
    await indexToHead(db, ranges)
    const taken = requests.splice(0)
    const ofManager = taken.filter(({ address }) => address?.includes(manager))
    const ofPools = [initialize, swap].map((make) => make(idOf(0)).topics[0] as Hex)
    t.ok(
      ofManager.every(({ topics }) => Array.isArray(topics[1])),
      'never without ids',
    )
    const others = taken.filter(({ address }) => !address?.includes(manager))
    t.notOk(
      others.some(({ topics }) => topics[0].some((topic) => ofPools.includes(topic))),
      'never for the swaps of all pools',
    )
    return { others, asked: ofManager.map(({ topics }) => (topics[1] as Hex[]).length), ofManager }
  }

  t.strictSame((await takeRequests()).asked, [], 'no pool is followed')
  await say(['manager', initialize(idOf(0))], ['manager', initialize(idOf(1))], ['clanker', launch(0)])
  await say(['manager', swap(idOf(0))], ['manager', swap(idOf(1))])
  const first = await takeRequests()
  t.ok(first.asked.length > 0 && first.asked.every((count) => count === 1), 'the pool of the launch in the same range')
  t.strictSame([...new Set(first.ofManager.flatMap(({ topics }) => topics[1]))], [idOf(0)])
  const readTrades = () => db.selectFrom('readable_trades').select(['token', 'pool']).execute()
  t.strictSame(await readTrades(), [{ token: tokenOf(0), pool: idOf(0) }])

  await launchFrom(1, 600)
  await takeRequests()
  await node.mine()
  const named = await takeRequests()
  t.ok(
    named.others.every(({ address }) => address !== undefined),
    'tokens are named',
  )
  t.strictSame(named.asked, [601])
  await launchFrom(601, LAUNCHES - 601)
  await say(['manager', swap(idOf(LAUNCHES - 1))], ['manager', swap(toHex(5, { size: 32 }))])
  await takeRequests()
  await node.mine()
  const many = await takeRequests()
  t.strictSame(many.asked, [1_000, 20], 'the ids of more pools take several requests')
  t.ok(
    many.others.some(({ address }) => address === undefined),
    'above 1,000 contracts a filter names none on a chain without other tokens',
  )
  t.ok(
    many.others.every(({ address }) => (address ?? []).length <= 1_000),
    'a node accepts a list of 1,000',
  )
  t.strictSame(
    (await readTrades()).map(({ pool }) => pool),
    [idOf(0), idOf(LAUNCHES - 1)],
  )
  await index()
  t.strictSame(diffTables(await readTables(db), await readTables(atHead)), [], 'block by block, it is the same')

  const transfers = (count: number) => {
    const log = {
      topics: [tokenTopics.transfer, toHex(1, { size: 32 }), toHex(2, { size: 32 })],
      data: toHex(3, { size: 32 }),
    }
    return emitLogs(
      ann,
      emitters.other,
      Array.from({ length: count }, () => log),
    )
  }
  await node.run(transfers(700), transfers(700), transfers(700))
  const busy = await takeRequests()
  const namedIn = (found: typeof busy) => found.others.flatMap(({ address }) => address ?? [])
  t.ok(namedIn(busy).includes(tokenOf(LAUNCHES - 1)), 'tokens are named where others have more logs than that costs')
  t.ok(busy.others.every(({ address = [] }) => address.length <= 1_000))

  const demanding = on('eth_getLogs', ({ params: [filter] }) => {
    const { address } = filter as Filter
    return address && address.length <= 300 ? undefined : failure(-32_701, 'Please specify an address, up to 300')
  })
  recording.follow(record, demanding)
  await launchFrom(LAUNCHES, 1)
  await say(['manager', swap(idOf(LAUNCHES))])
  const refused = await takeRequests()
  const answered = refused.others.filter(({ address = [] }) => address.length > 0 && address.length <= 300)
  t.equal(new Set(namedIn({ ...refused, others: answered })).has(tokenOf(0)), true, 'in lists that the node accepts')
  t.equal((await readTrades()).length, 3)
  await index()
  t.strictSame(diffTables(await readTables(db), await readTables(atHead)), [])
  t.strictSame(await started.findDifferences(), [])
})
