import type { Call } from './calls.ts'

/** Something that is done once, in the first block that is not before its time, after that block's trades. */
export interface ScheduledAction {
  hoursAgo: number
  /** Asked when the time has come: what a wallet can do depends on what it holds then. */
  buildCalls: () => Call[]
}
