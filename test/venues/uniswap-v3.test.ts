import t from 'tap'
import { encodeAbiParameters, encodeEventTopics, type Hex, parseAbi, parseAbiParameters } from 'viem'
import { parseLog, type RpcLog } from '../../chain/logs/log.ts'
import type { Payment } from '../../venues/payments.ts'
import { toFraction } from '../../venues/uniswap-v3/to-fraction.ts'
import { uniswapV3 } from '../../venues/uniswap-v3/uniswap-v3.ts'
import type { PoolFact } from '../../venues/venue.ts'

const abi = parseAbi([
  'event Initialize(uint160 sqrtPriceX96, int24 tick)',
  'event Swap(address indexed sender, address indexed recipient, int256 amount0, int256 amount1, uint160 sqrtPriceX96, uint128 liquidity, int24 tick)',
  'event Mint(address sender, address indexed owner, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount, uint256 amount0, uint256 amount1)',
])
const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const [pool, token, ann, bob, router] = ['a', 'b', '1', '2', '3'].map(address) as [Hex, Hex, Hex, Hex, Hex]
/** The root of the price one. */
const ONE = 2n ** 96n

const makeLog = (topics: readonly unknown[], data: Hex, logIndex: number) =>
  parseLog({
    ...{ address: pool, topics, data, logIndex: `0x${logIndex.toString(16)}` },
    ...{ transactionHash: `0x${'c'.repeat(64)}`, blockNumber: '0x1', blockHash: `0x${'d'.repeat(64)}` },
  } as unknown as RpcLog)

const initialize = (root: bigint, index = 0) =>
  makeLog(
    encodeEventTopics({ abi, eventName: 'Initialize' }),
    encodeAbiParameters(parseAbiParameters('uint160, int24'), [root, 0]),
    index,
  )
const swap = (amount0: bigint, amount1: bigint, root = ONE, index = 1) =>
  makeLog(
    encodeEventTopics({ abi, eventName: 'Swap', args: { sender: router, recipient: bob } }),
    encodeAbiParameters(parseAbiParameters('int256, int256, uint256, uint128, int24'), [amount0, amount1, root, 1n, 0]),
    index,
  )
const mint = (index = 0) =>
  makeLog(
    encodeEventTopics({ abi, eventName: 'Mint', args: { owner: ann, tickLower: -200, tickUpper: 200 } }),
    encodeAbiParameters(parseAbiParameters('address, uint128, uint256, uint256'), [ann, 1n, 5n, 5n]),
    index,
  )

/** The facts of the logs of a transaction, each of which comes with the payments into the pool before it. */
function read(logs: readonly [log: ReturnType<typeof makeLog>, payments?: Payment[]][], tokenFirst = true): PoolFact[] {
  const facts: PoolFact[] = []
  const reader = uniswapV3.open({ address: pool, token, tokenFirst, manager: null }, (fact) => facts.push(fact))
  let waiting: Payment[] = []
  for (const [log, payments = []] of logs) {
    waiting.push(...payments)
    reader.add(log, () => {
      const taken = waiting
      waiting = []
      return taken
    })
  }
  reader.finish()
  return facts
}

t.test('a swap is a purchase or a sale by what the pool paid out, whichever token comes first', async (t) => {
  const price = { quote: 2n ** 127n, token: 2n ** 127n }
  const buy = { kind: 'swap', side: 'buy', quoteAmount: 3n, tokenAmount: 7n, recipient: bob, trader: bob, ...price }
  t.match(read([[swap(-7n, 3n)]]), [buy])
  t.match(read([[swap(3n, -7n)]], false), [buy])
  const payments = [{ from: ann, value: 7n }]
  const sale = { ...buy, side: 'sell', trader: ann }
  t.match(read([[swap(7n, -3n), payments]]), [sale])
  t.match(read([[swap(-3n, 7n), payments]], false), [sale])
  t.equal((read([[swap(7n, -3n)]])[0] as { trader?: string }).trader, undefined, 'nobody is seen to pay')
})

t.test('who adds liquidity before a sale in the same transaction has not sold', async (t) => {
  const [sale] = read([
    [mint(), [{ from: ann, value: 1_000n }]],
    [swap(7n, -3n), [{ from: bob, value: 7n }]],
  ])
  t.match(sale, { side: 'sell', trader: bob })
})

t.test('a change without an exchange is a price, reported once the next price or the end has come', async (t) => {
  t.match(read([[initialize(ONE)], [mint(1)]]), [{ kind: 'price' }])
  t.match(read([[swap(5n, 0n)], [swap(0n, 0n, ONE, 2)], [swap(-7n, 3n, ONE, 3)]]), [
    { kind: 'price' },
    { kind: 'price' },
    { kind: 'swap' },
  ])
  for (const [amount0, amount1] of [
    [0n, -3n],
    [-7n, 0n],
    [0n, 3n],
    [7n, 0n],
  ] as const)
    t.match(read([[swap(amount0, amount1)]]), [{ kind: 'price' }], `${amount0}, ${amount1}`)
})

t.test('prices keep their digits within 128 bits, and roots outside of Uniswap’s bounds are rejected', async (t) => {
  const [least, greatest] = [4_295_128_739n, 1_461_446_703_485_210_103_287_273_052_203_988_822_378_723_970_342n]
  for (const root of [ONE, ONE / 1_000_003n, ONE * 777_777n]) {
    const { quote, token: base } = toFraction(root, true)
    t.ok(quote < 2n ** 128n && base < 2n ** 128n)
    const exact = (root * root * 10n ** 30n) / 2n ** 192n
    const kept = (quote * 10n ** 30n) / base
    t.ok(kept <= exact && exact - kept <= exact / 10n ** 15n + 1n, String(root))
    t.same(toFraction(root, false), { quote: base, token: quote }, 'the other way round for token1')
  }
  for (const root of [least, greatest]) t.match(read([[initialize(root)]]), [{ kind: 'price' }])
  for (const root of [0n, least - 1n, greatest + 1n]) t.throws(() => read([[swap(-7n, 3n, root)]]), RangeError)
  t.throws(() => read([[swap(-(2n ** 128n), 3n)]]), RangeError, 'an amount of more than 128 bits')
})
