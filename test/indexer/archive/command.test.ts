import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { audit } from '../../../audit/audit.ts'
import { type OpenDatabase, openDatabase } from '../../../db/client.ts'
import { openPlace } from '../../../indexer/archive/open-place.ts'
import { restore } from '../../../indexer/archive/restore.ts'
import { createDatabasePlace } from '../../support/database.ts'
import { V8_FLAGS } from '../../support/v8-flags.ts'
import { playOldMarket } from '../fixtures/old-market.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const place = await createDatabasePlace(t)
let database: OpenDatabase | undefined
const open = async () => {
  database = await openDatabase(place)
  return database
}
/** An embedded database belongs to one process. */
const close = async () => {
  await database?.close()
  database = undefined
}
t.teardown(close)
const { test, before } = await playOldMarket(t, open)
const whole = await readTables(database!.db)
await close()

const { databaseUrl, dataDir } = place
const { PATH, HOME } = process.env
const proofs = { PROOF_REQUESTS_PER_SECOND: '0' }
const env = {
  PATH,
  HOME,
  ...test.environment,
  ...proofs,
  DATA_DIR: dataDir,
  ...(databaseUrl && { DATABASE_URL: databaseUrl }),
}

/** Runs the command; kills it when it prints a line with this text. */
async function run(args: readonly string[], killAt?: string) {
  const child = spawn(process.execPath, [...V8_FLAGS, 'scripts/archive.ts', ...args], {
    cwd: ROOT,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  const read = (part: Buffer) => {
    output += part
    if (killAt !== undefined && output.includes(killAt)) child.kill('SIGKILL')
  }
  child.stdout.on('data', read)
  child.stderr.on('data', read)
  const [code] = await once(child, 'close')
  return { code: code as number | null, output }
}

t.test('a dry run rejects a place that archiving would reject', async (t) => {
  const outcome = await run(['--before', '2026-01-01', '--to', 'http://archives.example/slipway', '--dry-run'])
  t.match(outcome, { code: 2, output: /^http:.* is neither s3:\/\/bucket\/prefix nor a folder\n$/ })
})

t.test('a run that is killed is continued by the next one', async (t) => {
  const folder = t.testdir({})
  const options = ['--before', new Date(before * 1_000).toISOString(), '--to', folder]
  t.match(await run([...options, '--dry-run']), { code: 0, output: /^trades_from_0 would be archived$/m })
  for (const step of ['wrote', 'read back'])
    t.match(await run(options, step), { code: null, output: new RegExp(step) }, `killed when it has ${step}`)
  t.match(await run(options), { code: 0, output: /^Archived \d partitions, \d+ rows in \d+ bytes, in [\d.]+ s\.$/m })
  const listed = await run(['--list'])
  const names = [...listed.output.matchAll(/^(\w+): \d+ rows at /gm)].map(([, name = '']) => name)
  t.equal(names.length, 4, listed.output)
  t.match(await run(['--restore', 'trades_from_16']), { code: 0, output: /^trades_from_16: restored \d+ rows$/m })

  const { db } = await open()
  const archives = openPlace(folder, test.config)
  for (const name of names.filter((name) => name !== 'trades_from_16'))
    await restore({ db, place: archives, name, onProgress: () => {} })
  t.strictSame(diffTables(await readTables(db), whole), [])
  const lines: string[] = []
  await audit({ db, chain: test.chain, contracts: test.contracts, onDifference: (line) => lines.push(line) })
  t.strictSame(lines, [])
  await close()
})

t.test('a wrong command line is one message', async (t) => {
  const expectUsage = async (args: string[], message: RegExp) => t.match(await run(args), { code: 2, output: message })
  await expectUsage([], /^Give one of --before, --restore and --list\. See npm run archive -- --help$/m)
  await expectUsage(['--before', 'soon', '--to', 'x'], /^--before is soon; expected a date such as 2026-01-01/)
  await expectUsage(['--restore', 'trades_from_0'], /^trades_from_0 is not archived: its rows are in the database/)
})
