import type { Writable } from 'node:stream'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import type { Config } from '../../config.ts'
import { batchLines } from './batch-lines.ts'

type LoggerConfig = Pick<
  Config,
  | 'logLevel'
  | 'logFormat'
  | 'databaseUrl'
  | 'databaseDirectUrl'
  | 'databaseReadUrl'
  | 'redisUrl'
  | 'rpcUrls'
  | 'jwt'
  | 's3'
  | 'marketData'
  | 'tracing'
>

/** Terminal format: one line per request. */
const PRETTY = {
  translateTime: 'SYS:HH:MM:ss',
  singleLine: true,
  messageFormat: '{msg}{if path} {method} {path} {status} {durationMs} ms{end}',
  ignore: 'pid,hostname,reqId,operation,method,route,path,status,durationMs,client',
}

/** The process's logger. Redacts secrets from every line: error messages of libraries quote URLs and queries. */
export function createLogger(config: LoggerConfig, destination?: Writable): FastifyBaseLogger {
  const { logLevel, logFormat } = config
  const scrub = createScrubber(listSecrets(config))
  const hooks = { streamWrite: scrub }
  const output = () => {
    if (destination) return { hooks, stream: destination }
    if (logFormat === 'pretty') return { hooks, transport: { target: 'pino-pretty', options: PRETTY } }
    return { stream: batchLines(process.stdout, scrub) }
  }
  // The logger that Fastify bundles: a second pino version could diverge from it.
  return Fastify({ logger: { level: logLevel, ...output() } }).log
}

/** Shorter secrets are not redacted: they occur in too much other text. */
const SHORTEST_SECRET = 6
const HIDDEN = '[hidden]'

/** A pattern is tried only on text that contains its first element, which takes a fraction of the time. */
const patterns: readonly [string, RegExp, string][] = [
  // JWTs, anywhere in the line.
  ['eyJ', /\beyJ[\w-]{5,}\.[\w-]{5,}\.[\w-]*/g, HIDDEN],
  [' ', /\b(Bearer|Basic)\s+[\w.~+/=-]{4,}/gi, `$1 ${HIDDEN}`],
  ['=', /([?&](?:token|access_token|key|api[-_]?key|secret|password|signature)=)[^&\s"'\\]+/gi, `$1${HIDDEN}`],
  // User and password of a URL.
  ['://', /(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s"'\\@]+@/gi, `$1${HIDDEN}@`],
]

/** Returns a function that redacts secrets in log lines. */
function createScrubber(secrets: readonly string[]): (lines: string) => string {
  const literal = secrets.length > 0 ? new RegExp(secrets.map(quote).join('|'), 'g') : null
  return (lines) => {
    let clean = literal === null ? lines : lines.replace(literal, HIDDEN)
    for (const [part, pattern, instead] of patterns) if (clean.includes(part)) clean = clean.replace(pattern, instead)
    return clean
  }
}

const quote = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** All secrets of the configuration, in each encoding that may occur in a log line; longest first. */
function listSecrets(config: LoggerConfig): string[] {
  const { databaseUrl, databaseDirectUrl, databaseReadUrl, redisUrl } = config
  const urls = [databaseUrl, databaseDirectUrl, databaseReadUrl, redisUrl].filter((url) => url !== null)
  const found = [
    ...urls.map((url) => new URL(url).password),
    // RPC providers put API keys in any part of the URL.
    ...config.rpcUrls.flatMap((text) => {
      const { pathname, search, username, password } = new URL(text)
      return [pathname.slice(1), search.slice(1), username, password]
    }),
    ...config.jwt.keys.map(({ secret }) => secret),
    config.s3?.credentials?.secretAccessKey ?? '',
    config.marketData.key ?? '',
    ...Object.values(config.tracing?.headers ?? {}),
  ]
  const forms = found.flatMap((text) => [text, decode(text), JSON.stringify(text).slice(1, -1)])
  return [...new Set(forms)].filter((text) => text.length >= SHORTEST_SECRET).sort((a, b) => b.length - a.length)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
