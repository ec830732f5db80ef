import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Filesystem } from '@electric-sql/pglite/basefs'
import { createCluster, MARKER } from './new-cluster.ts'

/** PGlite, reduced to what a pg client needs. It has one session, and runs calls in their order. */
export interface EmbeddedServer {
  /** Runs messages of the wire protocol, and resolves to the answers. The caller gives its memory away. */
  exchange(messages: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>>
  /** Runs a `copy … from stdin` statement of one row or more, within the session's transaction. Rejects with PostgreSQL's error. */
  copy(sql: string, input: Blob): Promise<void>
  close(): Promise<void>
  /** Whether every call rejects from now on. Only a server in a thread of its own can end alone. */
  isEnded?(): boolean
  /** Calls the listener once, when the server ends, with the error of all later calls. */
  onEnd?(listener: (error: Error) => void): void
}

const ABORTED = 'A statement made the embedded database abort'

/** The first byte of a startup message, which has no type. */
const STARTUP = 0
/** Type of a simple query. */
const QUERY = 'Q'.charCodeAt(0)
/** A whole Sync message, which ends an extended query. */
const SYNC = Buffer.from('S\0\0\0\x04', 'latin1')
const [ERROR, BIND_COMPLETE] = Buffer.from('E2')
/** Types of the messages that end a statement: CommandComplete, EmptyQueryResponse and PortalSuspended. */
const ENDS: ReadonlySet<number> = new Set(Buffer.from('CIs'))

/**
 * Opens or creates the database of a folder in this thread, which each call blocks (`memory://`: in memory). With
 * `files`, that holds them instead of the folder, and a database if it is not to be empty.
 */
export async function openEmbeddedServer(folder: string, files?: Filesystem): Promise<EmbeddedServer> {
  // Imported on demand: a process with DATABASE_URL does not need it.
  const { PGlite } = await import('@electric-sql/pglite')
  const { pg_trgm } = await import('@electric-sql/pglite/contrib/pg_trgm')
  const inMemory = folder.startsWith('memory://')
  // Takes less time than PGlite's own initdb.
  if (!inMemory && !existsSync(join(folder, MARKER))) await createCluster(folder)
  const extensions = { pg_trgm }
  const fs = files && { fs: files }
  const pglite = await PGlite.create({ dataDir: folder, extensions, relaxedDurability: false, ...fs })
  let last: Promise<unknown> = Promise.resolve()
  /** Runs a call after those before: PGlite runs parts of several queries in turns, which share one portal. */
  const inTurn = <T>(call: () => Promise<T>): Promise<T> => {
    const result = last.then(call)
    last = result.catch(() => {})
    return result
  }
  const exchange = async (messages: Uint8Array) => {
    const parts: Uint8Array[] = []
    if (messages[0] === STARTUP) parts.push(await pglite.execProtocolRaw(messages))
    // Copied, because the parts are in the server's memory.
    else await pglite.execProtocolRawStream(messages, { onRawData: (part) => parts.push(part.slice()) })
    const answer = concatBytes(parts)
    // PGlite is silent about an abort of its code, such as an overflow of the stack.
    if (isStatement(messages) && !hasOutcome(answer, messages[0] === QUERY)) throw new Error(ABORTED)
    return answer
  }
  // PGlite reads COPY's input from a device of its own.
  const copy = async (sql: string, blob: Blob) => {
    const { affectedRows } = await pglite.query(sql.replace(' from stdin ', " from '/dev/blob' "), [], { blob })
    if (!affectedRows) throw new Error(ABORTED)
  }
  return {
    exchange: (messages) => inTurn(() => exchange(messages)),
    copy: (sql, input) => inTurn(() => copy(sql, input)),
    close: () => inTurn(() => pglite.close()),
  }
}

const isStatement = (messages: Uint8Array): boolean =>
  messages[0] === QUERY || SYNC.equals(messages.subarray(-SYNC.length))

/**
 * Whether the answer to a statement has an error, or the messages of one that ran. After an abort while the parameters were
 * read, PGlite runs an empty statement. A message has a type and a length, which counts itself.
 */
function hasOutcome(answer: Uint8Array<ArrayBuffer>, isSimple: boolean): boolean {
  const view = new DataView(answer.buffer)
  let isBound = isSimple
  for (let at = 0; at < answer.length; at += 1 + view.getInt32(at + 1)) {
    const type = view.getUint8(at)
    if (type === BIND_COMPLETE) isBound = true
    if (type === ERROR || (isBound && ENDS.has(type))) return true
  }
  return false
}

/** Unlike Buffer.concat, in memory of its own, which can be transferred to another thread. */
export function concatBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    whole.set(part, offset)
    offset += part.length
  }
  return whole
}
