import { readFile } from 'node:fs/promises'
import { sql } from 'kysely'
import { openPglite } from '../../db/client.ts'
import { migrateToLatest } from '../../db/migrate.ts'
import { escapeCell, replaceTable, toTable } from './tables.ts'

const TYPES: Record<string, string> = {
  bigint: 'number',
  integer: 'number',
  smallint: 'number',
  'double precision': 'number',
  numeric: 'Numeric',
  text: 'string',
  ARRAY: 'string[]',
  boolean: 'boolean',
  bytea: 'Hex',
  '"char"': 'string',
  jsonb: 'Json',
  int8multirange: 'string',
  'timestamp with time zone': 'Timestamp',
}

interface Column {
  name: string
  type: string
  nullable: boolean
  defaulted: boolean
  comment: string | null
}

interface Table {
  name: string
  comment: string | null
  /** Columns of the primary key. */
  key: string[]
  columns: Column[]
}

const PAGE = 'docs/data-model.md'

/** A column of a view may be null if that of its table may be: PostgreSQL does not tell. */
const isNullable = sql`case c.relkind when 'v' then exists (
    select from information_schema.columns b where b.table_schema = 'public' and b.is_nullable = 'YES'
      and b.table_name = replace(c.relname, 'readable_', '') and b.column_name = columns.column_name
  ) else is_nullable = 'YES' end`

async function readTables(): Promise<Table[]> {
  const { db, close } = await openPglite('memory://')
  await migrateToLatest(db)
  const { rows } = await sql<Table>`
    select c.relname as name, obj_description(c.oid) as comment,
      (select array_agg(a.attname::text order by array_position(i.indkey::smallint[], a.attnum))
        from pg_index i join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
        where i.indrelid = c.oid and i.indisprimary) as key,
      (select json_agg(json_build_object('name', column_name, 'type', data_type, 'nullable', ${isNullable},
          'defaulted', column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS',
          'comment', col_description(c.oid, ordinal_position)) order by ordinal_position)
        from information_schema.columns where table_schema = 'public' and table_name = c.relname) as columns
    from pg_class c
    where c.relnamespace = 'public'::regnamespace and c.relkind in ('r', 'p', 'v') and not c.relispartition
      and c.relname not like 'kysely_%'
    order by c.relname`.execute(db)
  await close()
  return rows
}

/** The comment of a table: what a row is, when it is written, and how it is spread; a view is not stored. */
function readComment({ name, comment }: Table): [row: string, written: string, spread: string] {
  const [, row, written, spread = ''] =
    /^(.+?\.) (.+?\.)(?: Spread: (by token|by wallet|reference|local)\.)?$/.exec(comment ?? '') ?? []
  if (row && written && (spread !== '' || name.startsWith('readable_'))) return [row, written, spread]
  throw new Error(
    `A migration must run: comment on table ${name} is '<What a row is>. <When it is written>. Spread: <by token, by wallet, ` +
      `reference or local>.' It has: ${comment}`,
  )
}

function writeTypes(tables: readonly Table[]): string {
  const lines = [
    '// Generated from the migrations by scripts/generate/db-types.ts. Do not edit: npm run generate:db',
    "import type { ColumnType } from 'kysely'",
    '',
    '/** A column with a default: inserts may omit it. */',
    'type Generated<T> = T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>',
    '/** numeric: read as a decimal string, written as a decimal string or a bigint. */',
    'type Numeric = ColumnType<string, string | bigint, string | bigint>',
    '/** bytea: read as 0x text, see db/hex.ts. */',
    'type Hex = ColumnType<string, Buffer, Buffer>',
    'type Timestamp = ColumnType<Date, Date | string, Date | string>',
    'type Json = ColumnType<unknown, string, string>',
  ]
  for (const table of tables) {
    const [row] = readComment(table)
    lines.push('', `/** ${row} */`, `export interface ${toPascal(table.name)}Table {`)
    for (const { name, type, nullable, defaulted } of table.columns) {
      const base = TYPES[type]
      if (!base) throw new Error(`No TypeScript type for ${type} (${table.name}.${name})`)
      const read = nullable ? `${base} | null` : base
      lines.push(`  ${name}: ${defaulted ? `Generated<${read}>` : read}`)
    }
    lines.push('}')
  }
  lines.push('', 'export interface Database {')
  for (const { name } of tables) lines.push(`  ${name}: ${toPascal(name)}Table`)
  lines.push('}', '')
  return lines.join('\n')
}

const toPascal = (name: string) => name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())

function writePage(page: string, tables: readonly Table[]): string {
  const all = tables.map((table) => [`\`${table.name}\``, ...readComment(table).map(escapeCell)])
  const ofLaunches = tables.flatMap(({ name, key, columns }) => {
    const comment = columns.find((column) => column.name === 'token_id')?.comment
    return comment ? [[`\`${name}\``, key.join(', '), escapeCell(comment)]] : []
  })
  const withTables = replaceTable(page, 'tables', toTable(['table', 'a row', 'written', 'spread'], all))
  const header = ['table', 'key', 'while another launch has the address']
  return replaceTable(withTables, 'launches', toTable(header, ofLaunches))
}

/** The types and the documentation of the tables, by path, from the migrated schema. */
export async function describeTables(): Promise<Record<string, string>> {
  const tables = await readTables()
  const page = await readFile(new URL(`../../${PAGE}`, import.meta.url), 'utf8')
  return { 'db/schema.ts': writeTypes(tables), [PAGE]: writePage(page, tables) }
}
