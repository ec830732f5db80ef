import { createHash } from 'node:crypto'
import type { Address } from 'viem'
import { levelOf } from './exchange.ts'
import type { TokenState } from './read-market.ts'

const MINUTE = 60
/** Waves of hours and minutes, so that every chart interval shows movement. */
const WAVES = [
  { period: 26 * 60 * MINUTE, weight: 0.45 },
  { period: 170 * MINUTE, weight: 0.35 },
  { period: 19 * MINUTE, weight: 0.2 },
]
/** Highest target of a curve that is not meant to complete. */
const HIGHEST_ON_CURVE = 0.985
const LOWEST = 0.01
const YOUNG = 0.1
/** Fraction of young tokens that will graduate. */
const GRADUATING = 0.25

/**
 * The target level (see levelOf) of each token: a fixed anchor with slow waves around it. Trades move part of the way
 * to it, so that prices stay bounded however long the market runs.
 */
export class PriceTarget {
  /** Separate anchors for a token's curve and its pool. */
  readonly #anchors = new Map<string, number>()

  /** The target level at `time` (unix seconds). On a curve, 1 or more allows completion. */
  targetLevelOf(token: TokenState, time: number): number {
    const anchor = this.#anchorLevelOf(token)
    const swing = WAVES.reduce((sum, { period, weight }, wave) => {
      return sum + weight * Math.sin(2 * Math.PI * (time / period + fraction(token.address, wave)))
    }, 0)
    if (token.exchange.kind === 'pool') return Math.max(YOUNG, anchor * (1 + 0.4 * swing))
    if (anchor >= 1) return anchor
    const room = Math.min(0.35 * anchor, HIGHEST_ON_CURVE - anchor)
    return Math.max(LOWEST, anchor + room * swing)
  }

  /** The level at which a token was first seen; for a young one, an anchor derived from its address. */
  #anchorLevelOf({ address, exchange }: TokenState): number {
    const key = `${address}:${exchange.kind}`
    const known = this.#anchors.get(key)
    if (known !== undefined) return known
    const level = levelOf(exchange)
    const isYoung = exchange.kind === 'curve' && level < YOUNG
    const future = fraction(address, 8) < GRADUATING ? 1.02 : 0.03 + 0.6 * fraction(address, 9) ** 2
    const anchor = isYoung ? future : exchange.kind === 'pool' ? level : Math.min(level, HIGHEST_ON_CURVE)
    this.#anchors.set(key, anchor)
    return anchor
  }
}

/** A hash in [0, 1) of the address and the salt. */
export function fraction(address: Address, salt: number): number {
  return createHash('sha256').update(`${address}:${salt}`).digest().readUInt32LE(0) / 2 ** 32
}
