import type { Log } from '../../chain/logs/log.ts'
import type { EventContext } from './batch.ts'

/** An invalid log of an indexed contract. It is stored like any other, and has no effect. */
export interface RejectedLog {
  block: number
  log: number
  txHash: string
  contract: string
  reason: string
}

/** What else is known of an invalid log. */
export interface Circumstances {
  /** Whether what it builds on is unknown, such as the launch of its token. */
  lacksCreation?: boolean
  /** The quote asset of a launch, if that asset is not followed. */
  quote?: string | undefined
}

/** Records an invalid log. */
export type RejectLog = (at: EventContext, contract: string, reason: string, circumstances?: Circumstances) => void

const MAX_EXAMPLES = 5
/** So that the invalid logs of one contract do not hide those of others. */
const MAX_OF_CONTRACT = 2

/** The number of invalid logs in a transaction, with the first few as examples. */
export class RejectedLogs {
  count = 0
  /** Number of logs that were not stored instead, so that the indexer decides about them. */
  undecided = 0
  /** Launches in assets that are not followed, by asset. */
  readonly unquoted = new Map<string, number>()
  readonly examples: RejectedLog[] = []

  add(at: EventContext, contract: string, reason: string, quote?: string): void {
    if (quote !== undefined) {
      this.#addUnquoted(quote, 1)
      return
    }
    this.count += 1
    this.#keep({ block: at.blockNumber, log: at.logIndex, txHash: at.txHash, contract, reason })
  }

  addAll({ count, undecided, unquoted, examples }: RejectedLogs): void {
    this.count += count
    this.undecided += undecided
    for (const [quote, launches] of unquoted) this.#addUnquoted(quote, launches)
    for (const example of examples) this.#keep(example)
  }

  #addUnquoted(quote: string, launches: number): void {
    this.unquoted.set(quote, (this.unquoted.get(quote) ?? 0) + launches)
  }

  #keep(example: RejectedLog): void {
    if (this.examples.length >= MAX_EXAMPLES) return
    const ofContract = this.examples.filter(({ contract }) => contract === example.contract)
    if (ofContract.length < MAX_OF_CONTRACT) this.examples.push(example)
  }
}

/** The reason that the error of a decoder gives. Decoders read nothing but the log, so the log causes every error. */
export const describeDecodeError = (error: unknown): string =>
  error instanceof Error ? error.message.split('\n', 1)[0]! : String(error)

/** Decodes a log; undefined if its event is not indexed, its layout is wrong, or a value is out of bounds. */
export function decodeOrReject<Event>(
  decode: (log: Log) => Event | undefined,
  log: Log,
  at: EventContext,
  rejectLog: RejectLog | undefined,
): Event | undefined {
  try {
    return decode(log)
  } catch (error) {
    rejectLog?.(at, log.address, describeDecodeError(error))
    return undefined
  }
}
