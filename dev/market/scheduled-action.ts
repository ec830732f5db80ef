import type { Call } from './calls.ts'

/** Runs once, in the first block at or after its time, after the trades of that block. */
export interface ScheduledAction {
  hoursAgo: number
  /** Called at that time: the calls depend on balances. */
  buildCalls: () => Call[]
}
