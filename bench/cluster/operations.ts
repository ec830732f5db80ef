// The reads, with their weights.

import { makePaths } from '../screener/make-paths.ts'
import { address, type Sent } from '../soak/client.ts'
import { nameToken } from './logs.ts'
import { addressOfToken, addressOfWallet, countLaunches, drawPopular, drawWallet, type Shape } from './shape.ts'

/** Of a hundred requests. */
export const WEIGHTS = {
  'token page': 25,
  list: 20,
  trades: 13,
  candles: 12,
  screener: 10,
  holders: 6,
  portfolio: 6,
  search: 5,
  'wallet history': 3,
} as const

export type Operation = keyof typeof WEIGHTS
export const operations = Object.keys(WEIGHTS) as Operation[]

const SCREENS = 200
const SORTS = ['trending', 'trending', 'newest', 'mcap', 'volume']
const INTERVALS = ['1m', '5m', '1h', '1d']

/** Three of four requests about tokens are about popular ones. */
export function createRequests(shape: Shape): () => { operation: Operation; sent: Sent } {
  const random = Math.random
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)]!
  const launched = countLaunches(shape, shape.blocks)
  const drawToken = () => (random() < 0.75 ? drawPopular(launched, random) : Math.floor(random() * launched))
  const token = () => addressOfToken(drawToken())
  const wallet = () => addressOfWallet(drawWallet(shape, random))
  const screens = makePaths(SCREENS, 1)
  const paths: Record<Operation, () => string> = {
    'token page': () => `/tokens/${token()}`,
    list: () => `/tokens?sort=${pick(SORTS)}&limit=20&page=${pick([1, 1, 2, 3])}`,
    trades: () => `/tokens/${token()}/trades?limit=${pick([20, 50])}`,
    candles: () => `/tokens/${token()}/chart?interval=${pick(INTERVALS)}`,
    screener: () => pick(screens),
    holders: () => `/tokens/${token()}/holders`,
    portfolio: () => `/portfolio?wallet=${wallet()}`,
    search: () =>
      `/search?q=${encodeURIComponent(
        nameToken(drawToken())
          .name.slice(0, pick([3, 5, 12]))
          .trim(),
      )}`,
    'wallet history': () => `/transactions?wallet=${wallet()}`,
  }
  const drawn = operations.flatMap((operation) => Array.from({ length: WEIGHTS[operation] }, () => operation))
  return () => {
    const operation = pick(drawn)
    return {
      operation,
      sent: { method: 'GET', path: paths[operation](), headers: { 'x-forwarded-for': address() }, expect: [200] },
    }
  }
}
