import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Where code stands that a package could replace. A file of more than LISTED_LINES lines must be named by a row. */
const INFRASTRUCTURE = '{lib,chain/rpc,chain/logs,db/postgres,db/embedded,features/live}/**/*.ts'
const LISTED_LINES = 50
const FILES_COLUMN = 1
const LINES_COLUMN = 2

const countLines = (path: string): number => readFileSync(join(ROOT, path), 'utf8').split('\n').length - 1

/** To two digits, so that the table does not change with each line. */
const round = (lines: number): number => Number(lines.toPrecision(2))

/** The TypeScript files that a cell names: files, or folders with what is below them. */
const listFiles = (cell: string): string[] =>
  [...cell.matchAll(/`([^`]+)`/g)].flatMap(([, path = '']) =>
    statSync(join(ROOT, path)).isDirectory() ? globSync(`${path.replace(/\/$/, '')}/**/*.ts`, { cwd: ROOT }) : [path],
  )

/**
 * The rows of the table of what the project implements itself, with their lines counted. A file counts in the first row that names
 * it. Throws if a long file of the infrastructure is in no row.
 */
export function countOwnCode(table: string): string {
  const counted = new Set<string>()
  const rows = table.split('\n').map((row, index) => {
    if (index < 2) return row
    const cells = row.split(' | ')
    const files = listFiles(cells[FILES_COLUMN] ?? '').filter((path) => !counted.has(path))
    for (const path of files) counted.add(path)
    cells[LINES_COLUMN] = String(round(files.reduce((sum, path) => sum + countLines(path), 0)))
    return cells.join(' | ')
  })
  const missing = globSync(INFRASTRUCTURE, { cwd: ROOT }).filter(
    (path) => !counted.has(path) && countLines(path) > LISTED_LINES,
  )
  if (missing.length > 0)
    throw new Error(`The table of docs/architecture.md does not name ${missing.sort().join(', ')}`)
  return rows.join('\n')
}
