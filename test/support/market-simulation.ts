import { type Curve, getAmountOut, newCurve, quoteBuy, quoteSell, totalSupply } from '../../chain/curve.ts'

/*
 * A small market, the same in every run: 30 tokens launched 100 minutes apart on a chain of one block a minute, traded by
 * eight wallets with the arithmetic of the contracts. Every sixth token from the fourth on is completed, every sixth from
 * the fifth on graduated; token 3 is never traded, and token 20 copies the symbol of
 * token 2.
 */
const GENESIS_TIME = 2_000_000_040
export const HEAD = 3_100
export const FINALIZED = HEAD - 12
export const QUOTE_USD = 3_000
export const TARGET = 4n * 10n ** 18n
export const FEES = { protocol: 100, creator: 50 }
export const TOKEN_COUNT = 30

const hex = (prefix: string, index: number) => `0x${prefix}${index.toString(16).padStart(40 - prefix.length, '0')}`
export const tokenAddress = (index: number) => hex('70ce', index)
export const walletAddress = (index: number) => hex('3a11', index)
export const poolAddress = (index: number) => hex('9001', index)
export const creatorOf = (index: number) => walletAddress(100 + (index % 4))
export const LAUNCHPAD = hex('1a0d', 1)
export const ROUTER = hex('40e7', 1)
export const WRAPPED_NATIVE = hex('e7e7', 1)
export const BURN_ADDRESS = '0x000000000000000000000000000000000000dead'
export const timeOf = (block: number) => GENESIS_TIME + block * 60
export const transactionHash = (block: number, log: number) =>
  `0x${(block * 10_000 + log).toString(16).padStart(64, '0')}`

export interface SimulatedTrade {
  block: number
  log: number
  txHash: string
  token: string
  trader: string
  side: 'buy' | 'sell'
  venue: 'curve' | 'pool'
  tokenAmount: bigint
  quoteAmount: bigint
  protocolFee: bigint
  creatorFee: bigint
  virtualQuote: bigint
  virtualToken: bigint
  realQuote: bigint | null
  realToken: bigint | null
}

export interface SimulatedToken {
  index: number
  address: string
  name: string
  symbol: string
  creator: string
  block: number
  log: number
  status: 'curve' | 'completed' | 'graduated'
  graduatedBlock: number | null
  curve: Curve
  pool: { quote: bigint; token: bigint } | null
  trades: SimulatedTrade[]
  /** Balances by holder; their sum is the supply. */
  balances: Map<string, bigint>
}

const animals = ['Cat', 'Dog', 'Gull', 'Crab', 'Seal', 'Otter']
const adjectives = ['Harbour', 'Anchor', 'Tidal', 'Rusty', 'Golden']

function simulateToken(index: number): SimulatedToken {
  const address = tokenAddress(index)
  const animal = animals[index % 6] as string
  const adjective = adjectives[Math.floor(index / 6)] as string
  const token: SimulatedToken = {
    index,
    address,
    name: `${adjective} ${animal}`,
    symbol: index === 20 ? 'hgull' : `${adjective[0]}${animal.toUpperCase()}`,
    creator: creatorOf(index),
    block: 1 + index * 100,
    log: index * 10,
    status: 'curve',
    graduatedBlock: null,
    curve: newCurve(TARGET, FEES.protocol, FEES.creator),
    pool: null,
    trades: [],
    balances: new Map([[LAUNCHPAD, totalSupply]]),
  }
  if (index !== 3) tradeCurve(token)
  if (index % 6 === 4 || index % 6 === 5) complete(token)
  if (index % 6 === 5) graduate(token)
  return token
}

export const simulateMarket = () => Array.from({ length: TOKEN_COUNT }, (_, index) => simulateToken(index))

/** Spreads a token's events from its launch to shortly before the head; the first eight stop a day before it. */
function blockOf({ block, index }: SimulatedToken, share: number): number {
  const end = index < 8 ? HEAD - 1_500 : HEAD - 2
  return block + 1 + Math.floor((end - block) * share)
}

function tradeCurve(token: SimulatedToken): void {
  const count = 6 + (token.index % 4)
  for (let turn = 0; turn < count; turn++) {
    // The second and third trade of a token stand in one transaction, by two wallets.
    const block = blockOf(token, ((turn === 2 ? 1 : turn) + 1) / (count + 3))
    const trader = walletAddress((token.index + turn) % 8)
    const held = token.balances.get(walletAddress((token.index + turn - 1) % 8)) ?? 0n
    if (turn % 4 === 3 && held > 0n) sell(token, walletAddress((token.index + turn - 1) % 8), held / 2n, block)
    else buy(token, trader, BigInt(1 + ((token.index * 7 + turn * 3) % 10)) * 10n ** 16n, block)
  }
}

function complete(token: SimulatedToken): void {
  buy(token, walletAddress(token.index % 8), 100n * 10n ** 18n, blockOf(token, 0.8))
  token.status = 'completed'
}

function graduate(token: SimulatedToken): void {
  const block = blockOf(token, 0.85)
  const left = token.balances.get(LAUNCHPAD) ?? 0n
  move(token, LAUNCHPAD, poolAddress(token.index), left)
  token.pool = { quote: token.curve.realQuote, token: left }
  Object.assign(token, { status: 'graduated', graduatedBlock: block, curve: { ...token.curve, realQuote: 0n } })
  const quoteIn = 5n * 10n ** 17n
  const out = getAmountOut(quoteIn, token.pool.quote, token.pool.token)
  move(token, poolAddress(token.index), walletAddress(1), out)
  token.pool = { quote: token.pool.quote + quoteIn, token: token.pool.token - out }
  record(token, walletAddress(1), blockOf(token, 0.95), {
    side: 'buy',
    venue: 'pool',
    tokenAmount: out,
    quoteAmount: quoteIn,
  })
}

function buy(token: SimulatedToken, trader: string, amount: bigint, block: number): void {
  const { tokenOut, quoteIn, protocolFee, creatorFee, after } = quoteBuy(token.curve, amount)
  token.curve = after
  move(token, LAUNCHPAD, trader, tokenOut)
  const amounts = { tokenAmount: tokenOut, quoteAmount: quoteIn, protocolFee, creatorFee }
  record(token, trader, block, { side: 'buy', venue: 'curve', ...amounts })
}

function sell(token: SimulatedToken, trader: string, tokenAmount: bigint, block: number): void {
  const { quoteOut, protocolFee, creatorFee, after } = quoteSell(token.curve, tokenAmount)
  token.curve = after
  move(token, trader, LAUNCHPAD, tokenAmount)
  const amounts = { tokenAmount, quoteAmount: quoteOut, protocolFee, creatorFee }
  record(token, trader, block, { side: 'sell', venue: 'curve', ...amounts })
}

type Outcome = Pick<SimulatedTrade, 'side' | 'venue' | 'tokenAmount' | 'quoteAmount'> &
  Partial<Pick<SimulatedTrade, 'protocolFee' | 'creatorFee'>>

function record(token: SimulatedToken, trader: string, block: number, outcome: Outcome): void {
  const before = token.trades.filter((trade) => trade.block === block).length
  const inPool = outcome.venue === 'pool'
  token.trades.push({
    protocolFee: 0n,
    creatorFee: 0n,
    ...outcome,
    block,
    log: token.log + 1 + before,
    txHash: transactionHash(block, token.log + 1),
    token: token.address,
    trader,
    virtualQuote: inPool && token.pool ? token.pool.quote : token.curve.virtualQuote,
    virtualToken: inPool && token.pool ? token.pool.token : token.curve.virtualToken,
    realQuote: inPool ? null : token.curve.realQuote,
    realToken: inPool ? null : token.curve.realToken,
  })
}

function move(token: SimulatedToken, from: string, to: string, amount: bigint): void {
  token.balances.set(from, (token.balances.get(from) ?? 0n) - amount)
  token.balances.set(to, (token.balances.get(to) ?? 0n) + amount)
}
