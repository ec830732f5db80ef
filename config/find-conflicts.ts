import { isKnownChain } from './chain.ts'
import { DEVELOPMENT_JWT_KEYS } from './environment.ts'
import { findQuoteProblems } from './quotes.ts'
import type { Name, Values } from './read-variables.ts'

/** Adds that a variable conflicts with others, or is missing because of them. */
type Report = (name: Name, expected: string) => void

/** Checks that involve several variables, and the requirements of production. One line for each problem. */
export function findConflicts(values: Values, env: Record<string, string | undefined>): string[] {
  const problems: string[] = []
  const report: Report = (name, expected) => {
    const given = env[name]?.trim()
    // An invalid value is already in the list.
    if (given && values[name] === undefined) return
    if (problems.some((problem) => problem.startsWith(`${name} `))) return
    problems.push(`${name} ${given ? 'conflicts with other settings' : 'is not set'}; expected ${expected}`)
  }
  reportChain(values, report)
  reportProcesses(values, report)
  problems.push(...listQuoteProblems(values))
  reportDatabase(values, report)
  reportRedis(values, report)
  if (values.FINALITY_DEPTH !== undefined && env.FINALITY?.trim())
    report('FINALITY_DEPTH', 'no value, because FINALITY, its newer name, is set')
  if (values.METRICS_PORT !== 0 && values.METRICS_PORT === values.PORT)
    report('METRICS_PORT', 'another port than PORT, or 0')
  reportBucket(values, report)
  reportKeys(values, report)
  if (values.NODE_ENV === 'production') reportProduction(values, report)
  return problems
}

/** Invalid variables are undefined here. */
const isEmbedded = ({ RPC_URL: urls }: Values): boolean => urls?.length === 0

function reportChain(values: Values, report: Report): void {
  const { CHAIN_ID: chainId, MARKET: market } = values
  const embedded = isEmbedded(values)
  if (!embedded && chainId === undefined) report('CHAIN_ID', 'the chain id of RPC_URL')
  if (embedded && (chainId ?? 31337) !== 31337)
    report('CHAIN_ID', '31337, the embedded chain, because RPC_URL is not set')
  if (!embedded && market === 'on') report('MARKET', 'off: only the embedded chain simulates trading')
}

/** What several processes need, of one role each or as workers. */
function reportProcesses(values: Values, report: Report): void {
  const { ROLE: role, WORKERS: workers, DATABASE_URL: databaseUrl, REDIS_URL: redisUrls } = values
  if (role === 'api' || role === 'indexer') {
    const why = `because ROLE is ${role}`
    if (databaseUrl === undefined)
      report('DATABASE_URL', `a PostgreSQL URL ${why}: the embedded database serves one process`)
    if (isEmbedded(values)) report('RPC_URL', `the URL of a node ${why}: the embedded chain serves one process`)
  }
  if (workers === undefined || workers <= 1 || role === 'indexer') return
  const why = `because WORKERS is ${workers}`
  if (databaseUrl === undefined)
    report('DATABASE_URL', `a PostgreSQL URL ${why}: the embedded database serves one process; or WORKERS=1`)
  if (redisUrls === undefined)
    report('REDIS_URL', `a Redis URL ${why}: workers share nonces, revocations and quotas; or WORKERS=1`)
  if (isEmbedded(values))
    report('RPC_URL', `the URL of a node ${why}: the embedded chain serves one process; or WORKERS=1`)
}

function listQuoteProblems({ QUOTES: quotes = [], DEPLOYMENTS: deployments = [] }: Values): string[] {
  const wrapped = deployments.filter(({ kind }) => kind === 'wrapped-native').map(({ address }) => address)
  return findQuoteProblems(quotes, wrapped).map((problem) => `QUOTES ${problem}`)
}

function reportDatabase(values: Values, report: Report): void {
  if (values.DATABASE_URL !== undefined) return
  if (values.DATABASE_READ_URL !== undefined) report('DATABASE_URL', 'the primary of DATABASE_READ_URL')
  if (values.DATABASE_DIRECT_URL !== undefined) report('DATABASE_URL', 'the pooler in front of DATABASE_DIRECT_URL')
}

function reportRedis({ REDIS_URL: urls, REDIS_MODE: mode, REDIS_SENTINEL_NAME: name }: Values, report: Report): void {
  // Not a mode: that is reported already.
  if (mode === undefined) return
  if (mode === 'sentinel' && name === undefined)
    report('REDIS_SENTINEL_NAME', 'the name of the primary, because REDIS_MODE is sentinel')
  if (mode !== 'sentinel' && name !== undefined)
    report('REDIS_SENTINEL_NAME', `no value, because REDIS_MODE is ${mode}; for Sentinels set REDIS_MODE=sentinel`)
  if (urls === undefined) {
    if (mode !== 'single') report('REDIS_URL', `URLs, because REDIS_MODE is ${mode}`)
    return
  }
  if (mode === 'single' && urls.length > 1)
    report('REDIS_URL', 'one URL, because REDIS_MODE is single; for several set REDIS_MODE=cluster or sentinel')
  const places = urls.map((url) => new URL(url))
  const shared = places.map(({ protocol, username, password, pathname }) =>
    [protocol, username, password, pathname].join(' '),
  )
  if (new Set(shared).size > 1)
    report('REDIS_URL', 'URLs that differ in host and port only: the rest holds for every server')
  if (mode === 'cluster' && places.some(({ pathname }) => !['', '/', '/0'].includes(pathname)))
    report('REDIS_URL', 'URLs without a database, because REDIS_MODE is cluster')
}

function reportBucket(values: Values, report: Report): void {
  if (values.S3_ENDPOINT !== undefined && values.S3_BUCKET === undefined)
    report('S3_BUCKET', 'the bucket at S3_ENDPOINT')
  if (values.S3_ACCESS_KEY_ID !== undefined && values.S3_SECRET_ACCESS_KEY === undefined)
    report('S3_SECRET_ACCESS_KEY', 'the secret of S3_ACCESS_KEY_ID')
}

/** An empty variable is an unset one: the default is the public key of development. */
function reportKeys({ JWT_KEYS: keys, NODE_ENV: mode, PUBLIC_URL: publicUrl }: Values, report: Report): void {
  const isPublic = keys?.some(({ secret }) => secret === DEVELOPMENT_JWT_KEYS.split(':')[1])
  if (isPublic && (mode === 'production' || publicUrl?.startsWith('https:')))
    report('JWT_KEYS', 'your own secrets in production, and with a PUBLIC_URL of https: anyone knows the default')
}

function reportProduction(values: Values, report: Report): void {
  if (values.PUBLIC_URL === undefined) report('PUBLIC_URL', 'an absolute URL in production')
  if (values.DATABASE_URL === undefined) report('DATABASE_URL', 'a PostgreSQL URL in production')
  if (isEmbedded(values)) report('RPC_URL', 'the URL of a node in production')
  if (values.ROLE === 'api' && values.REDIS_URL === undefined)
    report('REDIS_URL', 'a Redis URL in production when ROLE is api: replicas share nonces and revocations')
  if (values.RATE_LIMITS === 'off')
    report('RATE_LIMITS', 'on in production; to allow more requests, raise RATE_LIMIT_GLOBAL and the other quotas')
  if (values.CHAIN_ID !== undefined && values.NATIVE_CURRENCY === undefined && !isKnownChain(values.CHAIN_ID))
    report('NATIVE_CURRENCY', `the coin of chain ${values.CHAIN_ID}, such as MON:Monad: this chain is not a known one`)
  if (values.DEPLOYMENTS?.length === 0) report('DEPLOYMENTS', 'at least one launchpad in production')
}
