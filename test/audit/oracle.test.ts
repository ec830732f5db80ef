import t from 'tap'
import { type Hex, toEventSelector } from 'viem'
import { makeExpected } from '../../audit/expected.ts'
import { expectBlock } from '../../audit/oracle.ts'
import { toWord } from '../support/hostile/logs.ts'
import {
  ann,
  blockOf,
  bob,
  carl,
  type Emitted,
  emitted,
  expectRows,
  LAUNCH,
  launchpad,
  pair,
  router,
  swap,
  sync,
  TX,
  token,
  toLogs,
  transfer,
  zero,
} from './support/logs.ts'

const POSITION = { block_number: 100, log_index: 5, block_time: 1_790_000_000, tx_hash: TX }
const amounts = { protocolFee: 3n, creatorFee: 4n, virtualQuote: 50n, virtualToken: 200n, realQuote: 6n, realToken: 7n }
const bought = (quoteIn: bigint, more = {}): Emitted =>
  emitted('CurveBuy', { token, trader: ann, recipient: bob, quoteIn, tokenOut: 11n, ...amounts, ...more })
const sold = emitted('CurveSell', { token, trader: ann, recipient: bob, tokenIn: 12n, quoteOut: 13n, ...amounts })
const created = {
  ...{ token, creator: ann, quoteToken: bob, name: ' A\u0000 name ', symbol: 'ONE', contractURI: 'ipfs://one' },
  ...{ totalSupply: 1_000n, virtualQuote: 100n, virtualToken: 900n, targetQuote: 200n },
  ...{ protocolFeeBps: 30, creatorFeeBps: 70 },
}
const only = <Value>(map: ReadonlyMap<string, Value>): Value | undefined =>
  map.size === 1 ? [...map.values()][0] : undefined

t.test('a trade on the curve', async (t) => {
  t.strictSame(only(expectRows([bought(10n ** 18n)]).trades), {
    ...POSITION,
    ...{ token, trader: ann, trader_known: true, recipient: bob, side: 'buy', venue: 'curve', pool: null },
    ...{ token_amount: 11n, quote_amount: 10n ** 18n, protocol_fee: 3n, creator_fee: 4n },
    ...{ virtual_quote: 50n, virtual_token: 200n, real_quote: 6n, real_token: 7n },
    ...{ price: 0.25, price_usd: 500, value_usd: '2000.00000000', value_native: null, rate_native: null },
  })
  t.hasStrict(only(expectRows([sold]).trades), { side: 'sell', token_amount: 12n, quote_amount: 13n, trader: ann })
  t.hasStrict(
    only(expectRows([bought(1n)], { nativeUsd: null }).trades),
    { price: 0.25, price_usd: null, value_usd: null },
    'without a price in USD',
  )
  t.hasStrict(only(expectRows([bought(1n, { virtualToken: 0n })]).trades), { price: 0, price_usd: 0 }, 'of no reserves')
  t.strictSame([...expectRows([bought(1n)]).sightings], [[`${token}/${ann}`, { block: 100, time: 1_790_000_000 }]])
})

t.test('a value of 10^15 dollars is stored, a larger one is null', async (t) => {
  const nativeUsd = 10n ** 8n
  const worth = (usd: bigint) => only(expectRows([bought(usd * 10n ** 10n)], { nativeUsd }).trades)?.value_usd
  t.equal(worth(10n ** 23n), '1000000000000000.00000000')
  t.equal(worth(10n ** 23n + 1n), null)
})

t.test('a creation, with its texts cleaned', async (t) => {
  const out = expectRows([emitted('CurveCreate', created)], { launch: null })
  t.strictSame(only(out.tokens), {
    ...POSITION,
    ...{
      launchpad,
      launchpad_kind: 'slipway',
      lifecycle: 'curve',
      venue: 'uniswap-v2',
      creator: ann,
      quote_token: zero,
      decimals: 18,
      quote_decimals: 18,
      rate_native: null,
      name: 'A name',
      symbol: 'ONE',
      metadata_uri: 'ipfs://one',
    },
    ...{ total_supply: 1_000n, initial_virtual_quote: 100n, initial_virtual_token: 900n, target_quote: 200n },
    ...{ initial_real_token: 600n, protocol_fee_bps: 30, creator_fee_bps: 70 },
  })
  t.strictSame(only(out.actions), { ...POSITION, type: 'create', wallet: ann, subject: token })
  t.strictSame(only(out.stages), { created_block: 100, created_log: 5 })
  t.equal(out.sightings.size, 0)
})

const closed = emitted('CurveCompleted', { token, realQuote: 1n, realToken: 2n })
const graduated = emitted('CurveGraduate', { token, pool: pair, quoteLiquidity: 1n, tokenLiquidity: 2n, lpBurned: 30n })

t.test('the end of a curve and its graduation are stages of the token', async (t) => {
  const out = expectRows([closed, graduated])
  t.strictSame(only(out.stages), {
    ...{ completed_block: 100, completed_log: 5, graduated_block: 100, graduated_log: 6 },
    ...{ graduated_at: 1_790_000_000, pool: pair },
  })
  t.strictSame(only(out.actions), { ...POSITION, log_index: 6, type: 'graduate', wallet: launchpad, subject: token })
  t.strictSame([...out.lpBurned], [[token, 30n]])
})

t.test('creations, ends and graduations count once, all other events each time', async (t) => {
  const asked: [makes: readonly string[], key: string][] = []
  const isFirst = (makes: readonly string[], key: string) => {
    asked.push([makes, key])
    return false
  }
  const out = expectRows([emitted('CurveCreate', created), closed, graduated, bought(1n), sold], { isFirst })
  t.strictSame(asked, [
    [[`CurveCreate ${token}`], '100/5'],
    [[`CurveCompleted ${token}`], '100/6'],
    [[`CurveGraduate ${token}`, `pool ${pair}`], '100/7'],
  ])
  t.strictSame([out.tokens.size, out.stages.size, out.actions.size, out.trades.size], [0, 0, 0, 2])
})

t.test('events before the launch, of another launchpad or of unknown tokens count for nothing', async (t) => {
  const count = (launch: object | null) => expectRows([bought(1n)], { launch }).trades.size
  t.equal(count({ block: 100, log: 4 }), 1, 'launched by the log before')
  t.equal(count({ block: 100, log: 5 }), 0)
  t.equal(count({ block: 101, log: 0 }), 0)
  t.equal(count({ block: 99, log: 6 }), 1)
  t.equal(count({ launchpad: router }), 0)
  t.equal(count(null), 0)
})

t.test('rights to fees, and their shares', async (t) => {
  const actions = (log: Emitted) => only(expectRows([log]).actions)
  t.hasStrict(actions(emitted('CreatorFeeClaimed', { token, recipient: bob, amount: 1n })), {
    ...{ type: 'claim_creator_fee', wallet: bob },
  })
  const moved = emitted('FeeRightTransferred', { token, from: ann, to: bob })
  t.hasStrict(actions(moved), { type: 'transfer_fee_right', wallet: ann })
  const row = { block_number: 100, log_index: 5, token, owner: bob }
  t.strictSame(
    [...expectRows([moved]).feeShares],
    [['100/5/0', { ...row, position: 0, recipient: bob, bps: 10_000 }]],
    'the new owner has all',
  )
  const split = emitted('FeeSharesUpdated', { token, owner: bob, recipients: [ann, carl], bps: [2_500, 7_500] })
  t.hasStrict(actions(split), { type: 'split_creator_fees', wallet: bob })
  t.strictSame(
    [...expectRows([split]).feeShares],
    [
      ['100/5/0', { ...row, position: 0, recipient: ann, bps: 2_500 }],
      ['100/5/1', { ...row, position: 1, recipient: carl, bps: 7_500 }],
    ],
  )
  const paid = emitted('GraduationBountyPaid', { token, recipient: ann, amount: 1n })
  t.strictSame([...expectRows([paid]).actions], [], 'a bounty changes none')
  const unsplit = emitted('FeeSharesUpdated', { token, owner: bob, recipients: [], bps: [] })
  t.strictSame(
    [...expectRows([unsplit]).feeShares],
    [['100/5/0', { ...row, position: 0, recipient: bob, bps: 10_000 }]],
    'without recipients, the owner has all',
  )
})

t.test('a wallet is seen first in the block of its first trade or transfer', (t) => {
  const out = makeExpected()
  const known = {
    ...{ tokens: new Map([[token, LAUNCH]]), pools: new Map(), isFirst: () => true },
    ...{ quoteOf: () => null, isShared: () => false, answerOf: () => null, managerOf: () => null },
  }
  for (const number of [100, 101]) {
    const block = blockOf(toLogs([transfer(ann, bob, 1n)]), { number, time: number * 10 })
    expectBlock(out, block, new Map([[launchpad, 'launchpad']]), known)
  }
  t.strictSame(
    [...out.sightings.values()],
    [
      { block: 100, time: 1_000 },
      { block: 100, time: 1_000 },
    ],
  )
  t.end()
})

t.test('transfers show both wallets, but minting not the zero address', async (t) => {
  const seen = (...logs: Emitted[]) => [...expectRows(logs).sightings.keys()].map((key) => key.split('/')[1])
  t.strictSame(seen(transfer(ann, bob, 1n)), [ann, bob])
  t.strictSame(seen(transfer(zero, bob, 1n)), [bob])
  t.strictSame(seen(transfer(ann, zero, 1n)), [ann, zero], 'burnt tokens belong to the zero address')
  t.strictSame(seen(transfer(ann, bob, 1n, router)), [], 'of a token that no launchpad launched')
  const uri: Emitted = [token, { topics: [toEventSelector('ContractURIUpdated()')], data: '0x' }]
  t.strictSame(only(expectRows([uri]).actions), { ...POSITION, type: 'update_metadata', wallet: carl, subject: token })
  t.strictSame([...expectRows([uri]).sightings], [])
  t.strictSame([...expectRows([transfer(ann, bob, 1n)]).actions], [])
})

/** The trade of a swap whose reserves are 400 tokens and 100 of the quote asset afterwards. */
const trade = (...[log, before = []]: [Emitted, Emitted[]?]) => {
  const rows = [...expectRows([...before, sync(400n, 100n), log]).trades.values()]
  if (rows.length === 0) return null
  const { side, token_amount, quote_amount, trader, trader_known } = rows[0]!
  return { side, token_amount, quote_amount, trader, trader_known }
}
const buyer = { trader: bob, trader_known: true }
const unknown = { trader: bob, trader_known: false }

t.test('a swap takes its price from the reserves after it', async (t) => {
  const out = expectRows([sync(400n, 100n), swap({ in1: 10n, out0: 40n }, bob)])
  t.strictSame(only(out.trades), {
    ...POSITION,
    log_index: 6,
    ...{ token, trader: bob, trader_known: true, recipient: bob, side: 'buy', venue: 'pool', pool: pair },
    ...{ token_amount: 40n, quote_amount: 10n, protocol_fee: 0n, creator_fee: 0n },
    ...{ virtual_quote: 100n, virtual_token: 400n, real_quote: null, real_token: null },
    ...{ price: 0.25, price_usd: 500, value_usd: '0.00000000', value_native: null, rate_native: null },
  })
  t.equal(out.poolStates.size, 0, 'the reserves are of the trade')
  const second = expectRows([sync(100n, 400n), swap({ in0: 10n, out1: 40n }, bob)], { pool: { isToken0: false } })
  t.hasStrict(
    only(second.trades),
    { side: 'buy', token_amount: 40n, quote_amount: 10n, price: 0.25 },
    'the other way round',
  )
})

t.test('what a swap pays back is not traded', async (t) => {
  const cases: [Parameters<typeof swap>[0], object | null][] = [
    [
      { in1: 10n, out0: 40n },
      { side: 'buy', token_amount: 40n, quote_amount: 10n, ...buyer },
    ],
    [
      { in0: 40n, out1: 10n },
      { side: 'sell', token_amount: 40n, quote_amount: 10n, ...unknown },
    ],
    // Tokens given beside the payment are a donation, as are coins beside a sale.
    [
      { in0: 5n, in1: 10n, out0: 40n },
      { side: 'buy', token_amount: 40n, quote_amount: 10n, ...buyer },
    ],
    [
      { in0: 40n, in1: 3n, out1: 10n },
      { side: 'sell', token_amount: 40n, quote_amount: 10n, ...unknown },
    ],
    // Both paid out: the input repays a loan.
    [
      { in0: 5n, in1: 30n, out0: 40n, out1: 10n },
      { side: 'buy', token_amount: 35n, quote_amount: 20n, ...buyer },
    ],
    [
      { in0: 50n, in1: 3n, out0: 10n, out1: 13n },
      { side: 'sell', token_amount: 40n, quote_amount: 10n, ...unknown },
    ],
    [{ in0: 40n, in1: 30n, out0: 40n, out1: 10n }, null],
    [{ in1: 10n, out0: 40n, out1: 10n }, null],
    [{ in0: 1n, in1: 1n, out0: 1n, out1: 1n }, null],
    [{ out0: 40n }, null],
    [{ out1: 40n }, null],
    [{ in0: 40n }, null],
    [
      { in1: 1n, out0: 1n },
      { side: 'buy', token_amount: 1n, quote_amount: 1n, ...buyer },
    ],
  ]
  for (const [given, expected] of cases)
    t.strictSame(trade(swap(given, bob)), expected, JSON.stringify(Object.keys(given)))
  t.equal(expectRows([swap({ in1: 10n, out0: 40n }, bob)]).trades.size, 0, 'no reserves, no trade')
})

t.test('the seller sent the most tokens to the pair since the reserves before', async (t) => {
  const sale = swap({ in0: 40n, out1: 10n }, bob)
  const seller = (...before: Emitted[]) => {
    const { trader, trader_known } = trade(sale, before)!
    return trader_known ? trader : null
  }
  t.equal(seller(transfer(ann, pair, 40n)), ann)
  t.equal(seller(transfer(ann, pair, 10n), transfer(carl, pair, 30n)), carl)
  t.equal(seller(transfer(carl, pair, 30n), transfer(ann, pair, 10n)), carl)
  t.equal(seller(transfer(ann, pair, 20n), transfer(carl, pair, 30n), transfer(ann, pair, 20n)), ann, 'by sums')
  t.equal(seller(transfer(ann, pair, 20n), transfer(carl, pair, 20n)), null, 'a tie')
  t.equal(seller(transfer(ann, carl, 40n)), null, 'sent to others')
  t.equal(seller(transfer(pair, pair, 40n)), null, 'the pair itself')
  t.equal(seller(transfer(zero, pair, 40n)), null, 'minted')
  t.equal(seller(transfer(ann, pair, 0n)), null, 'nothing')
  t.equal(seller(transfer(ann, pair, 40n, router)), null, 'another token')
  t.equal(seller(transfer(carl, pair, 90n), sync(1n, 1n), transfer(ann, pair, 40n)), ann, 'after other reserves')
  t.equal(seller(transfer(ann, pair, 40n), [router, sync(1n, 1n)[1]]), ann, 'the reserves of another pair')
  const late = expectRows([sync(4n, 1n), transfer(ann, pair, 40n), sale])
  t.hasStrict(only(late.trades), { trader: ann, trader_known: true }, 'between reserves and swap')
  const [emitter, log] = transfer(ann, pair, 40n)
  const elsewhere: Emitted = [emitter, log, `0x${'f'.repeat(64)}`]
  const other = expectRows([elsewhere, sync(4n, 1n), sale])
  t.hasStrict(only(other.trades), { trader: bob, trader_known: false }, 'in another transaction')
})

t.test('reserves without a swap are a state of the pool', async (t) => {
  const state = (logs: Emitted[], options = {}) => [...expectRows(logs, options).poolStates.values()]
  const first = { block_number: 100, log_index: 5, token, pool_quote: 100n, pool_token: 400n }
  t.strictSame(state([sync(400n, 100n)]), [{ ...first, price: 0.25, price_usd: 500, rate_native: null }])
  t.strictSame(
    state([sync(400n, 100n), sync(800n, 100n)]).map(({ price }) => price),
    [0.25, 0.125],
    'each of them',
  )
  t.hasStrict(state([sync(100n, 400n)], { pool: { isToken0: false } }), [first])
  t.hasStrict(state([sync(0n, 100n)]), [{ price: 0, price_usd: 0 }])
  t.hasStrict(state([sync(400n, 100n)], { nativeUsd: null }), [{ price: 0.25, price_usd: null }])
  const outOfBounds: Emitted = [pair, { topics: [toEventSelector('Sync(uint112,uint112)')], data: '0x00' as Hex }]
  t.hasStrict(
    state([sync(400n, 100n), outOfBounds, swap({ in1: 1n, out0: 1n }, bob)]),
    [first],
    'the next Sync ends it',
  )
  t.strictSame(
    state([sync(400n, 100n), swap({ in0: 1n, in1: 1n, out0: 1n, out1: 1n }, bob)]).length,
    1,
    'a swap of nothing leaves it',
  )
})

t.test('reserves count from the graduation on, and the last before it in its transaction', async (t) => {
  const prices = (logs: Emitted[], pool: object) =>
    [...expectRows(logs, { pool }).poolStates.values()].map(({ price }) => price)
  const one = [sync(400n, 100n)]
  t.strictSame(prices(one, { since: 99, sinceLog: 50 }), [0.25])
  t.strictSame(prices(one, { since: 100, sinceLog: 4 }), [0.25])
  t.strictSame(prices(one, { since: 100, sinceLog: 5 }), [null])
  t.strictSame(prices(one, { since: 100, sinceLog: 9, sinceTx: TX }), [0.25])
  const two = [sync(400n, 100n), sync(800n, 100n)]
  t.strictSame(prices(two, { since: 100, sinceLog: 9, sinceTx: TX }), [null, 0.125])
  t.strictSame(prices(two, { since: 100, sinceLog: 6, sinceTx: TX }), [0.25, 0.125])
  t.strictSame(
    prices([sync(400n, 100n), swap({}, bob)], { since: 100, sinceLog: 9, sinceTx: TX }),
    [0.25],
    'a swap is none',
  )
})

t.test('events that the ABI does not describe, or out of bounds, count for nothing', async (t) => {
  const [, log] = bought(1n)
  t.equal(expectRows([[launchpad, { ...log, data: '0x00' }]]).trades.size, 0)
  t.equal(expectRows([[launchpad, { ...log, topics: log.topics.slice(0, 2) }]]).trades.size, 0)
  t.equal(expectRows([bought(2n ** 128n)]).trades.size, 0)
  t.equal(expectRows([bought(2n ** 128n - 1n)], { nativeUsd: null }).trades.size, 1)
  const unknownTopic: Emitted = [token, { topics: [toWord(1)], data: '0x' }]
  t.equal(expectRows([unknownTopic]).actions.size, 0)
  t.equal(expectRows([[router, log]]).trades.size, 0, 'of another contract')
})
