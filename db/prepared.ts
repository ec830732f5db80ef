import { hash } from 'node:crypto'
import { type RawBuilder, sql } from 'kysely'

const MARK = '/* prepared */'

/**
 * A statement that PostgreSQL plans once a connection instead of each time, which for a read of a few rows from many tables
 * is most of what it costs. For statements whose texts are few (each is kept by every connection) and whose best plan does
 * not depend on what they are given: a limit, for one, must stand in the text. PGlite runs it as any other.
 */
export const prepared = <Row>(statement: RawBuilder<Row>): RawBuilder<Row> => sql<Row>`${statement} ${sql.raw(MARK)}`

const names = new Map<string, string>()

/** The name under which a connection prepares a statement; undefined for one that is not to be. */
export function nameOfPrepared(text: string): string | undefined {
  if (!text.endsWith(MARK)) return undefined
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `slipway_${hash('sha1', text, 'hex')}`
  names.set(text, name)
  return name
}
