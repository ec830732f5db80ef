import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { CompiledQuery } from 'kysely'
import type pg from 'pg'
import { from } from 'pg-copy-streams'

/*
 * COPY for the pg driver: appending rows takes a quarter of the CPU time of a multi-row insert (no arrays to parse, no
 * plan), and PostgreSQL stores the first rows while the last are serialized. For PGlite, see createEmbeddedDialect.
 */

/** A `copy … from stdin (format binary)` statement and its input; a chunk ends anywhere. */
export interface CopyQuery extends CompiledQuery {
  readonly chunks: Readable
}

/** Begins to read the chunks at once: rows are serialized while the connection runs the statements before. */
export function copyQuery(text: string, chunks: Iterable<Buffer>): CopyQuery {
  const ahead = Readable.from(yieldBetween(chunks), { highWaterMark: CHUNKS_AHEAD })
  // Without a listener, an error before the query runs would end the process. The query rejects with it.
  ahead.on('error', () => {})
  ahead.read(0)
  return { ...CompiledQuery.raw(text), chunks: ahead }
}

/** Bounds the memory of rows that wait for the connection. */
const CHUNKS_AHEAD = 1_024

/** Runs a COPY on a pg client. Rejects with PostgreSQL's error, or with that of `chunks` if serializing fails. */
export async function copyFrom(client: pg.ClientBase, { sql, chunks }: CopyQuery): Promise<void> {
  await pipeline(chunks, client.query(from(sql)))
}

/** Returns to the event loop between chunks: serializing a batch takes longer than a request may wait. */
async function* yieldBetween(chunks: Iterable<Buffer>): AsyncGenerator<Buffer> {
  for (const chunk of chunks) {
    yield chunk
    await setImmediate()
  }
}
