import t from 'tap'
import { type Hex, toEventSelector, toHex, zeroAddress } from 'viem'
import { auditedVenues } from '../../audit/venues/index.ts'
import { parseLog, type RpcLog } from '../../chain/logs/log.ts'
import { poolManager } from '../../venues/uniswap-v4/pool-manager.ts'
import { uniswapV4 } from '../../venues/uniswap-v4/uniswap-v4.ts'
import type { PoolFact, PoolTransfer } from '../../venues/venue.ts'
import { poolManagerEvents } from '../support/launchpads/abi.ts'
import { encodeLog } from '../support/launchpads/emitter.ts'
import { poolManagerAbi } from '../support/launchpads/uniswap-v4.ts'

const address = (digit: string): Hex => `0x${digit.repeat(40)}`
const [manager, token, ann, bob, router] = ['a', 'b', '1', '2', '3'].map(address) as [Hex, Hex, Hex, Hex, Hex]
const id = toHex(9, { size: 32 })
/** The root of the price one. */
const ONE = 2n ** 96n
const price = { quote: 2n ** 127n, token: 2n ** 127n }

let index = 0
const makeLog = (name: string, args: Record<string, unknown>, cut = 0) => {
  const { topics, data } = encodeLog(poolManagerEvents, name, { id, ...args })
  return parseLog({
    ...{ address: manager, topics: [...topics], data: cut === 0 ? data : data.slice(0, -cut) },
    ...{ logIndex: toHex(index++), transactionHash: toHex(7, { size: 32 }), blockNumber: '0x1', blockHash: id },
  } as unknown as RpcLog)
}
const initialize = (root = ONE, cut = 0) =>
  makeLog(
    'Initialize',
    { currency0: token, currency1: bob, fee: 1, tickSpacing: 1, hooks: zeroAddress, sqrtPriceX96: root, tick: 0 },
    cut,
  )
const swap = (amount0: bigint, amount1: bigint, root = ONE, cut = 0) =>
  makeLog('Swap', { sender: router, amount0, amount1, sqrtPriceX96: root, liquidity: 1n, tick: 0, fee: 1 }, cut)

type Step = ReturnType<typeof makeLog> | PoolTransfer
const isTransfer = (step: Step): step is PoolTransfer => 'from' in step
const taken = (to: Hex, value: bigint): PoolTransfer => ({ from: manager, to, value })
const paid = (from: Hex, value: bigint): PoolTransfer => ({ from, to: manager, value })

/** The facts of a transaction. */
function read(steps: readonly Step[], tokenFirst = true): PoolFact[] {
  const facts: { fact: PoolFact; at: number }[] = []
  const pool = { address: id, token, tokenFirst, manager }
  const reader = uniswapV4.open(pool, (fact, log) => facts.push({ fact, at: log.logIndex }))
  for (const step of steps) {
    if (isTransfer(step)) reader.addTransfer!(step)
    else reader.add(step, () => [])
  }
  reader.finish()
  if (reader.firstPrice !== undefined) throw new Error('The first price of the last transaction is still there')
  return facts.sort((a, b) => a.at - b.at).map(({ fact }) => fact)
}
const wallets = (steps: readonly Step[]) =>
  read(steps).map((fact) => (fact.kind === 'swap' ? (fact.trader ?? `unknown, ${fact.recipient}`) : fact.kind))

t.test('the events are those of the published contract', (t) => {
  for (const name of ['Initialize', 'Swap']) {
    const [own, published] = [poolManagerEvents, poolManagerAbi].map((abi) =>
      toEventSelector(abi.find((item) => item.type === 'event' && item.name === name) as never),
    )
    t.equal(own, published)
    t.ok(poolManager.topics.includes(own!))
    t.ok(auditedVenues['uniswap-v4']!.topics.includes(own!))
  }
  t.equal(uniswapV4.swapTopics[0]!.slice(0, 10), '0x40e9cecb')
  t.equal(poolManager.poolOf(swap(1n, -1n)), id)
  const other = makeLog('ModifyLiquidity', { sender: ann, tickLower: 0, tickUpper: 1, liquidityDelta: 1n, salt: id })
  t.equal(poolManager.poolOf(other), undefined, 'an event that is not indexed')
  t.end()
})

t.test('a swap is a purchase or a sale by what the swapper gets, whichever token comes first', (t) => {
  const buy = { kind: 'swap', side: 'buy', quoteAmount: 3n, tokenAmount: 7n, recipient: bob, trader: bob, ...price }
  t.match(read([swap(7n, -3n), taken(bob, 7n)]), [buy])
  t.match(read([swap(-3n, 7n), taken(bob, 7n)], false), [buy])
  const sale = { ...buy, side: 'sell', trader: ann, recipient: ann }
  t.match(read([swap(-7n, 3n), paid(ann, 7n)]), [sale])
  t.match(read([paid(ann, 7n), swap(3n, -7n)], false), [sale], 'paid for before')
  t.end()
})

t.test('a transfer of exactly the amount of a swap is its own, and the closest one of several', (t) => {
  t.strictSame(wallets([swap(7n, -3n), taken(ann, 7n), swap(7n, -3n), taken(bob, 7n)]), [ann, bob])
  t.strictSame(wallets([paid(ann, 7n), swap(-7n, 3n), paid(bob, 7n), swap(-7n, 3n)]), [ann, bob])
  t.strictSame(wallets([swap(7n, -3n), swap(8n, -3n), taken(bob, 8n), taken(ann, 7n)]), [ann, bob])
  t.strictSame(wallets([swap(7n, -3n), paid(ann, 7n), taken(bob, 7n)]), [bob], 'a sale is not paid out')
  t.strictSame(wallets([taken(ann, 900n), swap(7n, -3n), taken(bob, 7n)]), [bob], 'fees that are taken before')
  t.end()
})

t.test('other swaps are of the wallet that moved the most, unless several did', (t) => {
  t.strictSame(wallets([swap(7n, -3n), swap(5n, -2n), taken(bob, 12n)]), [bob, bob])
  t.strictSame(wallets([swap(-7n, 3n), paid(ann, 3n), paid(bob, 4n)]), [bob])
  t.strictSame(wallets([swap(-7n, 3n), paid(ann, 2n), paid(bob, 3n), paid(ann, 2n)]), [ann])
  const unknown = `unknown, ${router}`
  t.strictSame(wallets([swap(-7n, 3n), paid(ann, 3n), paid(bob, 3n)]), [unknown])
  t.strictSame(wallets([swap(7n, -3n)]), [unknown])
  const noise = [taken(zeroAddress, 9n), taken(manager, 9n), taken(ann, 0n), paid(zeroAddress, 9n)]
  t.strictSame(wallets([...noise, swap(7n, -3n), swap(-7n, 3n)]), [unknown, unknown], 'mints, burns and nothing')
  t.end()
})

t.test('a change without an exchange is a price, which is the first one of a launch', (t) => {
  t.match(read([initialize(), swap(7n, -3n), taken(bob, 7n)]), [{ kind: 'price' }, { kind: 'swap' }])
  t.match(read([swap(5n, 0n), swap(0n, 0n), swap(7n, -3n)]), [{ kind: 'price' }, { kind: 'price' }, { kind: 'swap' }])
  for (const [amount0, amount1] of [
    [0n, -3n],
    [-7n, 0n],
    [0n, 3n],
    [7n, 0n],
  ] as const)
    t.match(read([swap(amount0, amount1)]), [{ kind: 'price' }], `${amount0}, ${amount1}`)
  const reported: PoolFact[] = []
  const pool = { address: id, token, tokenFirst: true, manager }
  const reader = uniswapV4.open(pool, (fact) => reported.push(fact))
  reader.add(initialize(), () => [])
  reader.add(swap(7n, -3n, 2n * ONE), () => [])
  t.match(reader.firstPrice, price)
  t.equal(reported.length, 1, 'a swap is reported at the end of its transaction')
  reader.finish()
  t.equal(reported.length, 2)
  t.end()
})

t.test('roots outside of the bounds and incomplete logs are rejected', (t) => {
  for (const log of [initialize(0n), initialize(2n ** 160n - 1n), swap(7n, -3n, 1n)])
    t.throws(() => read([log]), RangeError)
  for (const cut of [64, 320]) t.throws(() => read([initialize(ONE, cut)]), RangeError)
  for (const cut of [64, 384]) t.throws(() => read([swap(7n, -3n, ONE, cut)]), RangeError)
  t.end()
})
