import type { PostgresPool } from 'kysely'
import type pg from 'pg'

/** A semicolon ends a statement, but not inside of these: strings, quoted names, bodies of functions, comments. */
const PARTS = /'[^']*'|"[^"]*"|(\$\w*\$).*?\1|--[^\n]*|;/gs

/** The statements of a text of SQL. */
export function splitStatements(text: string): string[] {
  const statements: string[] = []
  let start = 0
  for (const { 0: part, index } of text.matchAll(PARTS)) {
    if (part !== ';') continue
    statements.push(text.slice(start, index))
    start = index + 1
  }
  return [...statements, text.slice(start)].filter((statement) => statement.trim() !== '')
}

/**
 * A pool whose clients send each statement of a text by itself. Citus passes the whole text of an ALTER TABLE on to the workers, which
 * reject several statements.
 */
export function sendOneByOne(pool: pg.Pool): PostgresPool {
  return {
    end: () => pool.end(),
    connect: async () => {
      const client = await pool.connect()
      // biome-ignore lint/suspicious/noExplicitAny: an overload of Kysely's is for cursors, which nothing uses
      const query = async (text: string, values: readonly unknown[]): Promise<any> => {
        const statements = splitStatements(text)
        const last = statements.pop() ?? text
        for (const statement of statements) await client.query(statement)
        return client.query(last, [...values])
      }
      return { query: query as never, release: () => client.release() }
    },
  }
}
