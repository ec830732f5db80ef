import type { Log } from '../../chain/logs.ts'
import type { EventContext } from './batch.ts'

/** A log of one of our contracts that has no effect, because what it says cannot be. It is stored like any other. */
export interface RejectedLog {
  block: number
  log: number
  txHash: string
  contract: string
  reason: string
}

/** Is told of a log that is refused. */
export type RejectLog = (at: EventContext, contract: string, reason: string) => void

const MAX_EXAMPLES = 5

/** What was refused in a transaction: how much, and the first of it. */
export class RejectedLogs {
  count = 0
  readonly examples: RejectedLog[] = []

  add(at: EventContext, contract: string, reason: string): void {
    this.count += 1
    if (this.examples.length >= MAX_EXAMPLES) return
    this.examples.push({ block: at.blockNumber, log: at.logIndex, txHash: at.txHash, contract, reason })
  }
}

/**
 * What a log says; undefined where it is no event of ours, and where it is not laid out as its event is, or says what is out
 * of bounds. A decoder reads its log and nothing else: whatever it throws is the log's doing.
 */
export function decodeOrReject<Event>(
  decode: (log: Log) => Event | undefined,
  log: Log,
  at?: EventContext,
  rejectLog?: RejectLog,
): Event | undefined {
  try {
    return decode(log)
  } catch (error) {
    if (at) rejectLog?.(at, log.address, error instanceof Error ? error.message.split('\n', 1)[0]! : String(error))
    return undefined
  }
}
