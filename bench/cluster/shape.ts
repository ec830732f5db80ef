// An invented chain, as numbers: everything here follows from the number of a block, token or wallet.
import { toHex } from 'viem'
import { getOrCreate } from '../../lib/collections/get-or-create.ts'

export interface Shape {
  tokens: number
  trades: number
  /** Blocks that hold these trades; later ones are mined one a second. */
  blocks: number
  /** Unix seconds of the last of them. */
  end: number
  /** Unix milliseconds at which mining of later blocks began, one a second. */
  minedFrom?: number
  /** Trades in each later block. */
  rate: number
}

export const CHAIN_ID = 31_337
/** Seconds between blocks of the history. */
const BLOCK_SECONDS = 120
const TRADES_PER_BLOCK = 500
/** Launches per trade in later blocks. */
const LAUNCHES = 0.006
/** Every hundredth token is popular. The others have one trade, or two. */
const POPULAR = 100
const WALLETS_PER_TRADE = 1 / 25
const MAX_TRANSACTIONS = 4_096

export const makeShape = (options: Pick<Shape, 'tokens' | 'trades' | 'rate'>): Shape => ({
  ...options,
  blocks: Math.max(100, Math.ceil(options.trades / TRADES_PER_BLOCK)),
  end: Math.floor(Date.now() / 1_000),
})

/** A permutation of 32-bit numbers that looks random (the finalizer of MurmurHash3), so equal numbers have equal results. */
export function mix(n: number): number {
  let h = n | 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Hex digits of 32-bit words. The first word differs for each n. */
function scramble(seed: number, n: number, words: number): string {
  const first = mix(n ^ seed)
  let text = ''
  for (let word = 0; word < words; word++)
    text += mix(first + word * 0x9e3779b9)
      .toString(16)
      .padStart(8, '0')
  return text
}

const SEEDS = { token: 0x51, wallet: 0xa3, transaction: 0x17, block: 0x99, draw: 0x2d }
/** Addresses that were asked for are kept: each is in many logs. */
function makeAddresses(seed: number): (n: number) => string {
  const known = new Map<number, string>()
  return (n) => getOrCreate(known, n, () => `0x${scramble(seed, n, 5)}`)
}
export const addressOfToken = makeAddresses(SEEDS.token)
export const addressOfWallet = makeAddresses(SEEDS.wallet)
export const hashOfTransaction = (block: number, index: number): string =>
  `0x${scramble(SEEDS.transaction, block * MAX_TRANSACTIONS + index, 8)}`
/** Its last digits are the number. */
export const hashOfBlock = (block: number): string =>
  `0x${scramble(SEEDS.block, block, 7)}${(block >>> 0).toString(16).padStart(8, '0')}`
export const blockOfHash = (hash: string): number => Number.parseInt(hash.slice(-8), 16)

const contract = (n: bigint) => toHex(2n ** 159n + n, { size: 20 })
export const CONTRACTS = { launchpad: contract(1n), feed: contract(2n), weth: contract(3n) }
/** DEPLOYMENTS of a service on this chain. */
export const DEPLOYMENTS = JSON.stringify([
  { kind: 'launchpad', address: CONTRACTS.launchpad, startBlock: 1 },
  { kind: 'price-feed', address: CONTRACTS.feed, startBlock: 1 },
  { kind: 'wrapped-native', address: CONTRACTS.weth, startBlock: 1 },
])

/** Unix seconds. */
export const timeOfBlock = (shape: Shape, block: number): number =>
  block <= shape.blocks ? shape.end - (shape.blocks - block) * BLOCK_SECONDS : Math.floor(minedAt(shape, block) / 1_000)

/** Unix milliseconds at which a later block appears. */
export const minedAt = ({ blocks, end, minedFrom = end * 1_000 }: Shape, block: number): number =>
  minedFrom + (block - blocks) * 1_000

/** How many tokens are launched up to the end of a block. */
export const countLaunches = ({ tokens, blocks, rate }: Shape, block: number): number =>
  block <= blocks ? Math.floor((tokens * block) / blocks) : tokens + Math.floor((block - blocks) * rate * LAUNCHES)

/** How many trades there are up to the end of a block. */
export const countTrades = ({ trades, blocks, rate }: Shape, block: number): number =>
  block <= blocks ? Math.floor((trades * block) / blocks) : trades + (block - blocks) * rate

export const isPopular = (token: number): boolean => token % POPULAR === 0
/** Whether an unpopular token has a second trade. */
export const isTradedAgain = (token: number): boolean => !isPopular(token) && mix(token ^ SEEDS.draw) % 2 === 0
export const creatorOf = (token: number, shape: Shape): number => mix(token + SEEDS.wallet) % countWallets(shape)
export const secondTraderOf = (token: number, shape: Shape): number => mix(token + SEEDS.draw) % countWallets(shape)
const countWallets = ({ trades }: Shape): number => Math.max(1_000, Math.floor(trades * WALLETS_PER_TRADE))

/** A wallet; those with small numbers act most often. */
export const drawWallet = (shape: Shape, random: () => number): number =>
  Math.floor(countWallets(shape) * random() ** 2)

/** A popular token of the first `launched`: half the time an old one, half the time a new one. */
export function drawPopular(launched: number, random: () => number): number {
  const count = Math.ceil(launched / POPULAR)
  const at = Math.floor(count * random() ** 3)
  return POPULAR * (random() < 0.5 ? at : count - 1 - at)
}

/** Numbers from 0 to 1, the same for the same seed (mulberry32). */
export function makeRandom(seed: number): () => number {
  let state = mix(seed ^ SEEDS.draw)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32
  }
}
