import { hash } from 'node:crypto'
import type { CompiledQuery, Kysely, QueryResult, RawBuilder } from 'kysely'

/** A query that a connection to PostgreSQL parses and plans once, under this name. */
export interface PreparedQuery<Row = unknown> extends CompiledQuery<Row> {
  readonly preparedAs: string
}

/**
 * Executes a statement as a prepared one: PostgreSQL plans it once per connection, and planning is most of the cost of a
 * read of few rows from many tables. Only for statements with few texts (each connection keeps every text) whose best plan
 * does not depend on the parameters: a limit, for one, must be a literal. PGlite plans it each time.
 */
export const prepared = <Row>(statement: RawBuilder<Row>) => ({
  // biome-ignore lint/suspicious/noExplicitAny: of any database, as RawBuilder's own execute
  execute: (db: Kysely<any>): Promise<QueryResult<Row>> => {
    const query = statement.compile(db)
    return db.executeQuery<Row>({ ...query, preparedAs: nameOf(query.sql) } as PreparedQuery<Row>)
  },
})

const names = new Map<string, string>()

function nameOf(text: string): string {
  const known = names.get(text)
  if (known !== undefined) return known
  const name = `slipway_${hash('sha1', text, 'hex')}`
  names.set(text, name)
  return name
}
