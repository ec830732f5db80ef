import t from 'tap'
import { type Address, type Hex, toHex, zeroAddress } from 'viem'
import { Chain } from '../../../chain/rpc/client.ts'
import { createTestDatabase } from '../../support/database.ts'
import { on, startHostileNode } from '../../support/hostile/node.ts'
import { clankerV4Events, poolManagerEvents } from '../../support/launchpads/abi.ts'
import { encodeLog } from '../../support/launchpads/emitter.ts'
import { startEmitters } from '../fixtures/emitters.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

/** More than a filter lists. */
const LAUNCHES = 1_020
const PER_TRANSACTION = 100

const ids = Array.from({ length: LAUNCHES }, (_, at) => toHex(2n ** 255n + BigInt(at), { size: 32 }))
const tokenOf = (at: number): Address => toHex(2n ** 159n + BigInt(at), { size: 20 })

interface Filter {
  address?: Address[]
  topics: [Hex[], (Hex | Hex[] | null)?]
}

t.test('logs of a manager are requested by the pools that are followed', async (t) => {
  const started = await startEmitters(t, {
    names: ['clanker', 'manager'],
    followed: { clanker: 'clanker-v4', manager: 'uniswap-v4-pool-manager' },
  })
  const { say, emitters, ann, test, config, node, db: atHead, index } = started
  const { manager } = emitters
  const launch = (at: number) =>
    encodeLog(clankerV4Events, 'TokenCreated', {
      ...{ tokenAddress: tokenOf(at), tokenAdmin: ann, poolId: ids[at], pairedToken: zeroAddress, msgSender: ann },
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
  recording.follow(
    on('eth_getLogs', ({ params }) => {
      requests.push(params[0] as Filter)
      return undefined
    }),
  )
  const { db } = await createTestDatabase(t)
  const chain = new Chain([recording.url], { retries: 0 })
  const ranges = { ...test, chain, config: { ...config, finality: { unit: 'blocks' as const, amount: 0 } } }
  const takeRequests = async () => {
    await indexToHead(db, ranges)
    const taken = requests.splice(0)
    const ofManager = taken.filter(({ address }) => address?.includes(manager))
    const ofPools = [initialize, swap].map((make) => make(ids[0]!).topics[0] as Hex)
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
  await say(['manager', initialize(ids[0]!)], ['manager', initialize(ids[1]!)], ['clanker', launch(0)])
  await say(['manager', swap(ids[0]!)], ['manager', swap(ids[1]!)])
  const first = await takeRequests()
  t.ok(first.asked.length > 0 && first.asked.every((count) => count === 1), 'the pool of the launch in the same range')
  t.strictSame([...new Set(first.ofManager.flatMap(({ topics }) => topics[1]))], [ids[0]])
  const readTrades = () => db.selectFrom('readable_trades').select(['token', 'pool']).execute()
  t.strictSame(await readTrades(), [{ token: tokenOf(0), pool: ids[0] }])

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
  await say(['manager', swap(ids.at(-1)!)], ['manager', swap(toHex(5, { size: 32 }))])
  await takeRequests()
  await node.mine()
  const many = await takeRequests()
  t.strictSame(many.asked, [1_000, 20], 'the ids of more pools take several requests')
  t.ok(
    many.others.some(({ address }) => address === undefined),
    'above 1,000 contracts a filter names none',
  )
  t.strictSame(
    (await readTrades()).map(({ pool }) => pool),
    [ids[0], ids.at(-1)],
  )
  await index()
  t.strictSame(diffTables(await readTables(db), await readTables(atHead)), [], 'block by block, it is the same')
  t.strictSame(await started.findDifferences(), [])
})
