import t from 'tap'
import { type Address, type Hex, parseEther, toHex, zeroAddress } from 'viem'
import { type Log, parseLog, type RpcLog } from '../../../chain/logs/log.ts'
import { findReserves, inBaseUnits } from '../../../launchpads/curve-reserves.ts'
import { flap } from '../../../launchpads/flap/flap.ts'
import recorded from '../../fixtures/launchpads/flap.json' with { type: 'json' }
import { flapEvents } from '../../support/launchpads/abi.ts'
import { encodeLog } from '../../support/launchpads/emitter.ts'
import { FLAP_TERMS } from '../../support/launchpads/flap.ts'

const PORTAL = '0xe2ce6ab80874fa9fa2aae65d277dd6b8e65c9de0'
const TOKEN = '0x096c955f71265b3969e5f8ba1df1c24328d67777'
const [QUOTE, WALLET, POOL] = [1, 2, 3].map((value) => toHex(value, { size: 20 })) as [Address, Address, Address]
const SUPPLY = parseEther('1000000000')

const log = (topics: readonly Hex[], data: Hex) =>
  parseLog({
    ...{ topics: [...topics], data, address: PORTAL, blockNumber: '0x1', logIndex: '0x0' },
    ...{ blockHash: toHex(0, { size: 32 }), transactionHash: toHex(0, { size: 32 }) },
  } as RpcLog)
const encode = (name: string, args: Record<string, unknown>) => {
  const { topics, data } = encodeLog(flapEvents, name, args)
  return log(topics, data)
}

/** What else the Portal says in the transaction of a launch. */
const terms = { token: TOKEN, quoteToken: zeroAddress, dexSupplyThresh: FLAP_TERMS.threshold, ...FLAP_TERMS }
const quote = (changes = {}) => encode('TokenQuoteSet', { ...terms, ...changes })
const curve = (changes = {}) => encode('TokenCurveSetV2', { ...terms, ...changes })
const threshold = (changes = {}) => encode('TokenDexSupplyThreshSet', { ...terms, ...changes })
const legacy = (curveParameter: bigint) => encode('TokenCurveSet', { token: TOKEN, curve: POOL, curveParameter })

const launch = log(recorded[0]!.log.topics as Hex[], recorded[0]!.log.data as Hex)
const decode = (...others: Log[]) => flap.decode(launch, () => others)

t.test('a launch on BNB Smart Chain has its terms in other logs of its transaction', (t) => {
  t.equal(flap.subjectOf(launch), TOKEN)
  t.match(decode(quote(), curve(), threshold()), {
    ...{ kind: 'create', launchpad: PORTAL, token: TOKEN, creator: '0xdeadcfbb66dfd0830cba45c1802b50aa0b3261b1' },
    ...{ name: 'Pump Bot', symbol: 'Pump', quoteToken: zeroAddress, totalSupply: SUPPLY, pool: null },
    metadataUri: 'ipfs://bafkreifj4mcrh7jgchul4kcjpdq4vixchryvvf2q2k5zgw76dnnv4ow3l4',
    curve: {
      ...{ virtualQuote: FLAP_TERMS.r, virtualToken: SUPPLY + FLAP_TERMS.h, saleSupply: FLAP_TERMS.threshold },
      ...{ quoteDecimals: 18, targetQuote: parseEther('5') },
    },
  })
  t.match(decode(threshold(), quote({ quoteToken: QUOTE }), curve()), { quoteToken: QUOTE }, 'in any order')
  t.match(decode(threshold(), curve()), { quoteToken: zeroAddress }, 'versions that knew the native coin alone')
  const old = { virtualQuote: parseEther('16'), virtualToken: SUPPLY, targetQuote: parseEther('64') }
  t.match(decode(threshold(), legacy(parseEther('16'))), { curve: old })
  t.match(decode(threshold(), legacy(1n), curve()), { curve: { virtualQuote: FLAP_TERMS.r } }, 'both events')
  const ofOther = { token: QUOTE }
  for (const [name, others] of Object.entries({
    'no terms': [],
    'no curve': [threshold(), quote()],
    'no threshold': [curve(), quote()],
    'terms of another token': [threshold(ofOther), curve(ofOther)],
    'no reserve': [threshold(), curve({ r: 0n })],
    'nothing for sale': [threshold({ dexSupplyThresh: 0n }), curve()],
    'more for sale than there is': [threshold({ dexSupplyThresh: SUPPLY + 1n }), curve()],
    'all for sale, at any price': [threshold({ dexSupplyThresh: SUPPLY }), legacy(parseEther('16'))],
    'another product': [threshold(), curve({ k: (FLAP_TERMS.k * 1_000_001n) / 1_000_000n })],
  }))
    t.throws(() => decode(...others), RangeError, name)
  t.end()
})

t.test('a trade has the amount that was paid or got, and its reserves follow from what is sold', (t) => {
  const args = { ts: 1n, token: TOKEN, buyer: WALLET, seller: WALLET, amount: 6n, eth: 700n, fee: 7n }
  const said = {
    ...{ kind: 'unpriced-trade', token: TOKEN, trader: WALLET, recipient: WALLET, tokenAmount: 6n, quoteAmount: 700n },
    ...{ protocolFee: 7n, creatorFee: null },
  }
  const none = () => []
  const postPrice = 2n ** 256n - 1n
  t.match(flap.decode(encode('TokenBought', { ...args, postPrice }), none), { ...said, side: 'buy' })
  t.match(flap.decode(encode('TokenSold', { ...args, postPrice }), none), { ...said, side: 'sell' })
  const sold = parseEther('300000000')
  const fact = flap.decode(encode('FlapTokenCirculatingSupplyChanged', { token: TOKEN, newSupply: sold }), none)
  t.same(fact, { kind: 'curve-sold', token: TOKEN, sold })
  const start = { virtualQuote: String(parseEther('16')), virtualToken: String(SUPPLY) }
  const curveSold = { kind: 'curve-sold', token: TOKEN, sold } as const
  t.same(findReserves(curveSold, start), {
    ...{ kind: 'curve-state', token: TOKEN, virtualToken: SUPPLY - sold, realToken: null },
    ...{ virtualQuote: 22_857_142_857_142_857_143n, realQuote: null },
  })
  t.equal(findReserves({ ...curveSold, sold: SUPPLY }, start), undefined, 'nothing would be left')
  t.match(findReserves({ ...curveSold, sold: SUPPLY - 1n }, start), undefined, 'more than an amount')
  t.end()
})

t.test('amounts with 18 decimals become those of the quote asset', (t) => {
  const given = { virtualQuote: parseEther('6000'), virtualToken: SUPPLY, saleSupply: 5n, targetQuote: 10n ** 12n + 1n }
  const counted = { ...given, quoteDecimals: 18 }
  t.same(inBaseUnits(counted, { decimals: 6 }), { ...given, virtualQuote: 6_000_000_000n, targetQuote: 1n })
  t.same(inBaseUnits(counted, null), given)
  t.equal(inBaseUnits(given, { decimals: 6 }), given, 'other launchpads count in base units')
  t.end()
})

t.test('a graduation names a pool, unless another contract holds it', (t) => {
  const graduate = encode('LaunchedToDEX', { token: TOKEN, pool: POOL, amount: 5n, eth: 7n })
  const held = (token: string) =>
    encode('FlapTokenCLPoolCreated', { token, poolId: toHex(9, { size: 32 }), sqrtPriceX96: 1n })
  const opened = { kind: 'graduate', launchpad: PORTAL, token: TOKEN, pool: POOL, liquidity: { token: 5n, quote: 7n } }
  t.same(
    flap.decode(graduate, () => []),
    opened,
  )
  t.same(
    flap.decode(graduate, () => [held(QUOTE)]),
    opened,
    'that of another token',
  )
  t.same(
    flap.decode(graduate, () => [held(TOKEN)]),
    { kind: 'completed', token: TOKEN },
  )
  t.equal(
    flap.decode(held(TOKEN), () => [graduate]),
    undefined,
  )
  t.end()
})
