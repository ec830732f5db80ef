import type { LogPosition } from '../../db/queries/positions.ts'
import type { EventContext } from '../engine/batch.ts'

/** Position and time, in unix seconds, of the last trade of a token, or of a wallet with it. */
export type LastTrade = LogPosition & { at: number }

/** The trade at a position as the last one. Nearly every trade is, so the object is filled again instead of replaced. */
export function toLastTrade(before: LastTrade | null, { blockNumber, logIndex, time }: EventContext): LastTrade {
  if (before === null) return { blockNumber, logIndex, at: time }
  before.blockNumber = blockNumber
  before.logIndex = logIndex
  before.at = time
  return before
}
