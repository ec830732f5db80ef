import { decodeLaunchpadLog, type LaunchpadEvent } from '../../chain/events.ts'
import type { Log } from '../../chain/logs/log.ts'
import { describeDecodeError } from '../engine/rejected-logs.ts'

/** The event of a log, or the reason why the log is invalid. */
export type DecodedLog =
  | { event: LaunchpadEvent | undefined; reason?: undefined }
  | { event?: undefined; reason: string }

const decoded = new WeakMap<Log, DecodedLog>()

/**
 * Decodes a launch or a graduation. These are needed three times (to fetch the logs of the new contract, to decide which
 * creation counts, and to derive rows), and each log is decoded once.
 */
export function decodeCreation(log: Log): DecodedLog {
  let result = decoded.get(log)
  if (result === undefined) {
    result = decode(log)
    decoded.set(log, result)
  }
  return result
}

function decode(log: Log): DecodedLog {
  try {
    return { event: decodeLaunchpadLog(log) }
  } catch (error) {
    return { reason: describeDecodeError(error) }
  }
}
