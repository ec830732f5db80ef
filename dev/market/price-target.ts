import { createHash } from 'node:crypto'
import type { Address } from 'viem'
import { levelOf } from './exchange.ts'
import type { TokenState } from './read-market.ts'

const MINUTE = 60
/** Swings of hours and of minutes, so that every interval of a chart has a shape. */
const WAVES = [
  { period: 26 * 60 * MINUTE, weight: 0.45 },
  { period: 170 * MINUTE, weight: 0.35 },
  { period: 19 * MINUTE, weight: 0.2 },
]
/** A curve that is not meant to end stops short of its end. */
const HIGHEST_ON_CURVE = 0.985
const LOWEST = 0.01
const YOUNG = 0.1
/** Of the tokens that start young, these find enough friends to make it into their pool. */
const GRADUATING = 0.25

/**
 * What the crowd thinks of each token: the level (see venue.ts) at which it would like to have it, an anchor that slow waves
 * swing around. Every trade goes part of the way there, so that no price runs away however long the market is left running.
 */
export class PriceTarget {
  /** One for the curve and one for the pool of a token: graduation is a new life. */
  readonly #anchors = new Map<string, number>()

  /** The level wanted at `time`, unix seconds. On a curve, 1 and more means that it may be completed. */
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

  /** Where a token is when it is first looked at; one that is new gets a future of its own. */
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

/** [0, 1), the same for the same token and salt. */
export function fraction(address: Address, salt: number): number {
  return createHash('sha256').update(`${address}:${salt}`).digest().readUInt32LE(0) / 2 ** 32
}
