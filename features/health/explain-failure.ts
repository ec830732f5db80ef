import { StaleHeadError } from '../../chain/rpc/head-age.ts'
import { NoHostError } from '../../db/postgres/hosts.ts'
import { isAppError, SetupError } from '../../errors.ts'

/** By the code of an error of a socket or of PostgreSQL. */
const REASONS: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connection refused',
  ECONNRESET: 'connection closed',
  EPIPE: 'connection closed',
  ENOTFOUND: 'unknown host',
  EAI_AGAIN: 'unknown host',
  ETIMEDOUT: 'no answer in time',
  EHOSTUNREACH: 'host unreachable',
  ENETUNREACH: 'host unreachable',
  '28000': 'sign-in rejected',
  '28P01': 'sign-in rejected',
  '3D000': 'no such database',
  '42501': 'permission denied',
  '53100': 'no space left',
  '53300': 'too many connections',
  '57P01': 'connection closed',
  '57P02': 'connection closed',
  '57P03': 'starting or shutting down',
}

/** Errors of pg, of Redis' client and of our deadlines have no code. */
const REASONS_BY_MESSAGE: readonly [RegExp, string][] = [
  [/timeout|^No answer (in time|within)/i, 'no answer in time'],
  [/^Connection terminated|socket closed/i, 'connection closed'],
  [/client is (offline|closed)/i, 'not connected'],
]

/** Why a dependency fails, without hosts, users and texts of libraries; empty if that is unknown. */
export function explainFailure(failure: unknown): string {
  if (failure instanceof SetupError) return failure.message.replace(/\.$/, '')
  if (failure instanceof NoHostError) return failure.summary
  if (failure instanceof StaleHeadError) return failure.message
  if (isAppError(failure, 'CACHE_READ_ONLY')) return 'accepts no writes'
  if (!(failure instanceof Error)) return ''
  const { code = '', message } = failure as NodeJS.ErrnoException
  const [, byMessage] = REASONS_BY_MESSAGE.find(([text]) => text.test(message)) ?? []
  const inner = failure instanceof AggregateError ? failure.errors[0] : failure.cause
  return REASONS[code] ?? byMessage ?? explainFailure(inner)
}
