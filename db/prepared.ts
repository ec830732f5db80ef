import { hash } from 'node:crypto'
import type { CompiledQuery, Kysely, QueryResult, RawBuilder } from 'kysely'

/** A query that each connection prepares once, under this name. */
export interface PreparedQuery<Row = unknown> extends CompiledQuery<Row> {
  readonly preparedAs: string
}

/**
 * Executes a statement as a prepared one, planned once per connection: planning dominates the cost of small joins. Only
 * for few distinct SQL texts (connections keep each) whose best plan does not depend on parameters: a LIMIT must be a
 * literal. PGlite plans every execution.
 */
export const prepared = <Row>(statement: RawBuilder<Row>) => ({
  // biome-ignore lint/suspicious/noExplicitAny: any schema, as in RawBuilder.execute
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
