import type { Writable } from 'node:stream'
import Fastify, { type FastifyBaseLogger } from 'fastify'
import { batchLines } from './batch-lines.ts'

interface LoggerSettings {
  logLevel: string
  logFormat: 'pretty' | 'json'
  /** Redacted, longest first. */
  secrets: readonly string[]
}

/** Terminal format: one line per request. */
const PRETTY = {
  translateTime: 'SYS:HH:MM:ss',
  singleLine: true,
  messageFormat: '{msg}{if path} {method} {path} {status} {durationMs} ms{end}',
  ignore: 'pid,hostname,reqId,operation,method,route,path,status,durationMs,client',
}

/** The process's logger. Redacts secrets from every line: error messages of libraries quote URLs and queries. */
export function createLogger(
  { logLevel, logFormat, secrets }: LoggerSettings,
  destination?: Writable,
): FastifyBaseLogger {
  const scrub = createScrubber(secrets)
  const hooks = { streamWrite: scrub }
  const output = () => {
    if (destination) return { hooks, stream: destination }
    if (logFormat === 'pretty') return { hooks, transport: { target: 'pino-pretty', options: PRETTY } }
    return { stream: batchLines(process.stdout, scrub) }
  }
  // The logger that Fastify bundles: a second pino version could diverge from it.
  return Fastify({ logger: { level: logLevel, ...output() } }).log
}

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
