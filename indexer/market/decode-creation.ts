import type { Log } from '../../chain/logs/log.ts'
import type { Launchpad, LaunchpadFact } from '../../launchpads/launchpad.ts'
import { getAnswer } from '../engine/reads/answers.ts'
import { describeDecodeError } from '../engine/rejected-logs.ts'

/** What a log says, or the reason why the log is invalid. */
export type DecodedLog = { fact: LaunchpadFact | undefined; reason?: undefined } | { fact?: undefined; reason: string }

/** Whether a log of a launchpad launches a token or opens its pool, or may belong to one that does. */
export const isCreation = ({ creationTopics }: Launchpad, { topic0 }: Log): boolean =>
  (creationTopics as readonly string[]).includes(topic0)

/** What a launch may depend on besides its log. */
export interface LaunchContext {
  /** The contracts that pools share. */
  shared: { has(address: string): boolean }
}

const decoded = new WeakMap<Log, DecodedLog>()

/**
 * Decodes a launch or a graduation. These are needed three times (to fetch the logs of the new contract, to decide which
 * creation counts, and to derive rows), and each log is decoded once. logs: those of its block.
 */
export function decodeCreation(
  launchpad: Launchpad,
  log: Log,
  logs: readonly Log[],
  context: LaunchContext,
): DecodedLog {
  let result = decoded.get(log)
  if (result === undefined) {
    result = decode(launchpad, log, logs, context)
    decoded.set(log, result)
  }
  return result
}

function decode(launchpad: Launchpad, log: Log, logs: readonly Log[], context: LaunchContext): DecodedLog {
  try {
    return { fact: launchpad.decode(log, () => findOthers(launchpad, log, logs, context), getAnswer(log)) }
  } catch (error) {
    return { reason: describeDecodeError(error) }
  }
}

/** The logs of its transaction that a log may depend on: see Launchpad. */
function findOthers(launchpad: Launchpad, log: Log, logs: readonly Log[], { shared }: LaunchContext): Log[] {
  const mayMatter = (other: Log) =>
    other.address === log.address
      ? isCreation(launchpad, other)
      : shared.has(other.address) && other.logIndex < log.logIndex
  return logs.filter((other) => mayMatter(other) && other.hasTransactionOf(log)).sort((a, b) => a.logIndex - b.logIndex)
}
