// Checks the sources for what no linter sees: sizes that nobody can read, and what a command uses before its declaration.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { runCommand } from '../../lib/commands/run-command.ts'
import { findLateDeclarations } from './find-late-declarations.ts'
import { findLaunchpadKinds } from './find-launchpad-kinds.ts'
import { findUndocumentedErrors } from './find-undocumented-errors.ts'
import { findUnnamedErrors } from './find-unnamed-errors.ts'

const MAX_LINES = 400
const MAX_FILES = 40

const SOURCE = /\.(ts|tsx|js|mjs|cjs|sol|css|html|sh)$/
const GENERATED =
  /^(contracts\/artifacts|chain\/abi|sdk\/dist)\/|^db\/schema\.ts$|^sdk\/src\/(schema|operations|rooms|abi\/index|transactions\/contracts)\.ts$/
/** Tests are the body of a file: they declare what they use between them. */
const PROGRAM = /^(?!test\/.*\.test\.ts$).*\.ts$/

/** Deployed contracts. solhint checks the comments of their functions, events and variables. */
const CONTRACT = /^contracts\/src\/\w+\.sol$/

const TEST = /^test\/.*\.ts$/

/**
 * Files that may name kinds of launchpads: adapters and oracles, and what deploys, calls or tests contracts. Migrations are
 * frozen. lib/, the settings and the sessions of databases name the product, which is also the kind of our contracts.
 */
const KNOWS_LAUNCHPADS =
  /^(launchpads|audit\/launchpads|contracts|deploy|dev|sdk|bench|test|db\/migrations)\/|^lib\/(http|telemetry)\/|^(config\/environment|db\/process-name)\.ts$/

/** Requests of a handler or a plugin have no query of their own: plan tests and readers find queries in db/queries. */
const READS_BY_QUERIES = /^(routes|plugins|features)\/.*\.ts$/
const QUERY = /\.(selectFrom|insertInto|updateTable|deleteFrom)\(|\bsql(<|`)/

const list = (...options: string[]) =>
  execFileSync('git', ['ls-files', '-z', ...options], { encoding: 'utf8' })
    .split('\0')
    .filter(Boolean)

/** Resolves to the exit code. */
async function checkSources(): Promise<number> {
  const deleted = new Set(list('--deleted'))
  const files = list('--cached', '--others', '--exclude-standard').filter(
    (path) => !GENERATED.test(path) && !deleted.has(path),
  )
  const problems: string[] = []
  for (const path of files.filter((path) => SOURCE.test(path))) {
    const source = readFileSync(path, 'utf8')
    const lines = source.split('\n').length - 1
    if (lines > MAX_LINES) problems.push(`${path} has ${lines} lines; at most ${MAX_LINES} are allowed`)
    const late = PROGRAM.test(path) ? findLateDeclarations(source) : []
    for (const line of TEST.test(path) ? findUnnamedErrors(source) : [])
      problems.push(`${path}:${line} accepts any error; name the one that is meant`)
    for (const line of /\.tsx?$/.test(path) && !KNOWS_LAUNCHPADS.test(path) ? findLaunchpadKinds(source) : [])
      problems.push(
        `${path}:${line} names a kind of launchpad; give the interface of launchpads what differs between them`,
      )
    if (READS_BY_QUERIES.test(path) && QUERY.test(source)) problems.push(`${path} has a query; move it to db/queries`)
    for (const declaration of CONTRACT.test(path) ? findUndocumentedErrors(source) : [])
      problems.push(`${path} has no @notice, or other @param tags than parameters, at ${declaration}`)
    if (late.length > 0) problems.push(`${path} runs above ${late.join(', ')}; move the call to the end of the file`)
  }
  for (const [folder, inside] of Map.groupBy(files, (path) => dirname(path)))
    if (inside.length > MAX_FILES)
      problems.push(
        `${folder}/ has ${inside.length} files; at most ${MAX_FILES} are allowed: move those that belong together to a folder of their own`,
      )
  for (const problem of problems) console.error(problem)
  return problems.length > 0 ? 1 : 0
}

await runCommand({
  command: 'node scripts/checks/check-sources.ts',
  about: `Checks that no source file has more than ${MAX_LINES} lines, that no folder has more than ${MAX_FILES} files, that programs declare
constants and classes above the first statement that runs, that tests name the errors that they expect, that errors and constructors
of contracts are documented, that queries are in db/, and that only adapters, and what deploys, calls or tests contracts, name kinds of launchpads. Generated files are excluded. npm run lint runs it.`,
  exitCodes: '0 no problem, 1 problems, 2 it could not run.',
  run: checkSources,
})
