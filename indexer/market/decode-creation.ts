import type { Log } from '../../chain/logs/log.ts'
import type { Launchpad, LaunchpadFact } from '../../launchpads/launchpad.ts'
import { describeDecodeError } from '../engine/rejected-logs.ts'

/** What a log says, or the reason why the log is invalid. */
export type DecodedLog = { fact: LaunchpadFact | undefined; reason?: undefined } | { fact?: undefined; reason: string }

/** Whether a log of a launchpad launches a token or opens its pool. */
export const isCreation = ({ creationTopics }: Launchpad, { topic0 }: Log): boolean =>
  (creationTopics as readonly string[]).includes(topic0)

const decoded = new WeakMap<Log, DecodedLog>()

/**
 * Decodes a launch or a graduation. These are needed three times (to fetch the logs of the new contract, to decide which
 * creation counts, and to derive rows), and each log is decoded once.
 */
export function decodeCreation(launchpad: Launchpad, log: Log): DecodedLog {
  let result = decoded.get(log)
  if (result === undefined) {
    result = decode(launchpad, log)
    decoded.set(log, result)
  }
  return result
}

function decode(launchpad: Launchpad, log: Log): DecodedLog {
  try {
    return { fact: launchpad.decode(log) }
  } catch (error) {
    return { reason: describeDecodeError(error) }
  }
}
