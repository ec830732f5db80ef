import { splitHosts } from '../../config/database-hosts.ts'
import type { SetupProblem } from '../../errors.ts'

const RESTARTED = 'Start the service again once PostgreSQL is back; a supervisor does'

/** What to do about a connection that fails, by the code of its error. */
const REMEDIES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Start PostgreSQL, or correct host and port of the URL',
  ECONNRESET: 'Start PostgreSQL, or correct host and port of the URL',
  ENOTFOUND: 'Correct the host of the URL',
  EAI_AGAIN: 'Correct the host of the URL, or the name server of this machine',
  ETIMEDOUT: 'Correct host and port of the URL, or let firewalls pass connections to it',
  EHOSTUNREACH: 'Correct host and port of the URL, or let firewalls pass connections to it',
  ENETUNREACH: 'Correct host and port of the URL, or let firewalls pass connections to it',
  '28000': 'Correct the user of the URL, or allow it in pg_hba.conf',
  '28P01': 'Correct user and password of the URL',
  '3D000': 'Create the database, or correct its name in the URL',
  '42501': 'Grant the role of the URL the right to connect and to use its schema',
  '53100': 'Free some space on the disk of the PostgreSQL server',
  '53300': 'Close other connections, raise max_connections, or lower the DATABASE_*_CONNECTIONS of all processes',
  '57P01': RESTARTED,
  '57P02': RESTARTED,
  '57P03': 'Wait until PostgreSQL has started',
  ENOHOST: 'Start the servers, wait for the end of a failover, or correct the hosts of the URL',
}

/** Messages without a code of their own: of a socket that was closed, and of PgBouncer. */
const REMEDIES_BY_MESSAGE: readonly [RegExp, string][] = [
  [/^Connection terminated unexpectedly/, RESTARTED],
  [/unsupported startup parameter/, 'Set ignore_startup_parameters = options in the configuration of PgBouncer'],
  [/cannot connect to server|server login/, 'Start the PostgreSQL server behind the pooler'],
  [/no such database/, 'Correct the database name of the URL, or add it to the configuration of PgBouncer'],
]

/** "host:port/name" of a URL, of several hosts "host:port,host:port/name",, without user and password. */
export const placeOf = (url: string): string => {
  const places = splitHosts(url).urls.map((one) => new URL(one))
  return `${places.map(({ host }) => host).join(',')}${places[0]?.pathname}`
}

/** What an error of connecting to the database of a variable means, and what to do; null for other errors. */
export function findConnectionProblem(error: unknown, variable: string, url: string): SetupProblem | null {
  if (!(error instanceof Error)) return null
  const { code = '' } = error as NodeJS.ErrnoException
  // A refused connection has one cause for each address, and no message of its own.
  const inner = error instanceof AggregateError ? error.errors[0] : error
  const reason = (inner instanceof Error ? inner.message : '').split('\n')[0]?.replace(/\.$/, '') || code
  const isLate = /timeout/i.test(reason) && code === ''
  const [, byMessage] = REMEDIES_BY_MESSAGE.find(([text]) => text.test(reason)) ?? []
  const remedy = byMessage ?? REMEDIES[isLate ? 'ETIMEDOUT' : code]
  if (remedy === undefined) return null
  return { variable, problem: `the database ${placeOf(url)} cannot be used: ${reason}`, remedy }
}

/** Whether the server, or its administrator, has ended the session. No other service has these errors. */
export const isSessionEnd = (error: unknown): boolean => {
  const { code, message } = error as NodeJS.ErrnoException
  return code === '57P01' || code === '57P02' || /^Connection terminated unexpectedly/.test(message)
}

const UNREACHABLE: ReadonlySet<unknown> = new Set(['ECONNREFUSED', 'ECONNRESET', 'ENOHOST', '57P01', '57P02', '57P03'])

/** Whether the server is gone, stops or starts, so that connecting again soon is worth it, and costs it nothing. */
export const isUnreachable = (error: unknown): boolean => {
  const { code, message } = error as NodeJS.ErrnoException
  return UNREACHABLE.has(code) || /^Connection terminated/.test(message)
}
