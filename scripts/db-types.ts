/*
 * Writes db/schema.ts from the migrated schema; with --check it fails if the file is stale.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { openPglite } from '../db/client.ts'
import { migrateToLatest } from '../db/migrate.ts'

const HELP = `Usage: node scripts/db-types.ts [--check]

Writes db/schema.ts, the TypeScript types of every table, from the migrations.
  --check   write nothing; exit 1 if db/schema.ts does not match the migrations`

const TYPES: Record<string, string> = {
  bigint: 'number',
  integer: 'number',
  smallint: 'number',
  'double precision': 'number',
  numeric: 'Numeric',
  text: 'string',
  ARRAY: 'string[]',
  boolean: 'boolean',
  bytea: 'Buffer',
  jsonb: 'Json',
  'timestamp with time zone': 'Timestamp',
}

const { values } = parseArgs({ options: { check: { type: 'boolean' }, help: { type: 'boolean' } } })
if (values.help) {
  console.log(HELP)
  process.exit(0)
}

const target = new URL('../db/schema.ts', import.meta.url)
const text = await generate()
const current = await readFile(target, 'utf8').catch(() => '')
if (values.check && current !== text) {
  console.error('db/schema.ts does not match the migrations. Run: npm run generate:db')
  process.exit(1)
}
if (!values.check) await writeFile(target, text)

async function generate(): Promise<string> {
  const { db, lease: pool, close } = await openPglite('memory://')
  await migrateToLatest(db)
  const { rows } = await pool.query<{
    table_name: string
    column_name: string
    data_type: string
    nullable: boolean
    defaulted: boolean
  }>(`select table_name, column_name, data_type, is_nullable = 'YES' as nullable,
        (column_default is not null or is_identity = 'YES' or is_generated = 'ALWAYS') as defaulted
      from information_schema.columns
      where table_schema = 'public' and table_name not like 'kysely_%'
      order by table_name, ordinal_position`)
  await close()
  const tables = Map.groupBy(rows, (row) => row.table_name)
  const lines = [
    '// Generated from the migrations by scripts/db-types.ts. Do not edit: npm run generate:db',
    "import type { ColumnType } from 'kysely'",
    '',
    '/** A column with a default: inserts may omit it. */',
    'type Generated<T> = T extends ColumnType<infer S, infer I, infer U> ? ColumnType<S, I | undefined, U> : ColumnType<T, T | undefined, T>',
    '/** numeric: read as a decimal string, written as a decimal string or a bigint. */',
    'type Numeric = ColumnType<string, string | bigint, string | bigint>',
    'type Timestamp = ColumnType<Date, Date | string, Date | string>',
    'type Json = ColumnType<unknown, string, string>',
  ]
  for (const [table, columns] of tables) {
    lines.push('', `export interface ${pascal(table)}Table {`)
    for (const column of columns) {
      const base = TYPES[column.data_type]
      if (!base) throw new Error(`No TypeScript type for ${column.data_type} (${table}.${column.column_name})`)
      const type = column.nullable ? `${base} | null` : base
      lines.push(`  ${column.column_name}: ${column.defaulted ? `Generated<${type}>` : type}`)
    }
    lines.push('}')
  }
  lines.push('', 'export interface Database {')
  for (const table of tables.keys()) lines.push(`  ${table}: ${pascal(table)}Table`)
  lines.push('}', '')
  return lines.join('\n')
}

function pascal(name: string): string {
  return name.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}
