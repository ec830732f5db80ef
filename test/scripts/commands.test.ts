// Every script of package.json, run as a command.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { parseEnv } from 'node:util'
import { sql } from 'kysely'
import t from 'tap'
import { type Hex, parseEther, toHex } from 'viem'
import { type Db, openDatabase } from '../../db/client.ts'
import { findMigratedCluster, MARKER } from '../../db/embedded/new-cluster.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { createSemaphore } from '../../lib/concurrency/semaphore.ts'
import { findLateDeclarations } from '../../scripts/checks/find-late-declarations.ts'
import { findLaunchpadKinds } from '../../scripts/checks/find-launchpad-kinds.ts'
import { findUndocumentedErrors } from '../../scripts/checks/find-undocumented-errors.ts'
import { findUnnamedErrors } from '../../scripts/checks/find-unnamed-errors.ts'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, startService, until } from '../acceptance/support/service.ts'
import { diffTables, readTables } from '../indexer/fixtures/tables.ts'
import { V8_FLAGS } from '../support/v8-flags.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string) => readFile(join(ROOT, path), 'utf8')
const { scripts } = JSON.parse(await read('package.json')) as { scripts: Record<string, string> }

/** Commands whose effects are looked at below. */
const OPERATING = [
  'repair',
  'reindex',
  'distribute',
  'audit',
  'deploy',
  'preflight',
  'reset',
  'start',
  'token',
  'prepare:database',
]
/** Commands that other tests, checks of .ci/run or people run. */
const OTHERS = [
  'build:web',
  'screenshots',
  'check:packages',
  'check:drift',
  'generate',
  'fuzz',
  'chaos',
  'test:mutations',
  'archive',
]
const GENERATORS = ['db', 'contracts', 'chains', 'openapi', 'asyncapi', 'docs', 'gas', 'sdk']
const BENCHMARKS = ['cluster', 'filters', 'indexer', 'og', 'reads', 'screener', 'sizes', 'soak', 'socket', 'web']
const COMMANDS = [
  ...[...OPERATING, ...OTHERS],
  ...GENERATORS.map((name) => `generate:${name}`),
  ...BENCHMARKS.map((name) => `bench:${name}`),
]
/** Scripts that run tools of others, whose options these are, and perhaps commands before. */
const TOOLS = [
  ...['test', 'test:file', 'test:long', 'lint', 'format', 'typecheck', 'prepare'],
  ...['check:imports', 'check:unused', 'check:api', 'check:compatibility', 'check:sdk'],
]

const inTurn = createSemaphore({ concurrency: 4, queueSize: 1_000 })
const { PATH = '', HOME = '', NODE_COMPILE_CACHE } = process.env
const surroundings = {
  PATH: [join(ROOT, 'node_modules/.bin'), PATH].join(delimiter),
  HOME,
  ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: join(ROOT, NODE_COMPILE_CACHE) }),
}

interface Surroundings {
  env?: Record<string, string>
  /** For Node. */
  flags?: readonly string[]
  /** Called with each part of the error output. */
  onErrors?: (part: string) => Promise<void>
}

/** Runs a command line of package.json as npm does. */
const runLine = (line: string, args: readonly string[], { env = {}, flags = [], onErrors }: Surroundings = {}) =>
  inTurn(async () => {
    const [node = '', ...words] = line.split(' ')
    const child = spawn(node, [...flags, ...words, ...args], {
      cwd: ROOT,
      env: { ...surroundings, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const readErrors = async () => {
      let errors = ''
      for await (const part of child.stderr.setEncoding('utf8')) {
        errors += part
        await onErrors?.(part)
      }
      return errors
    }
    const [output, errors, [code]] = await Promise.all([text(child.stdout), readErrors(), once(child, 'close')])
    return { code: code as number | null, output, errors }
  })

const ran = new Set<string>()

function run(
  name: string,
  args: readonly string[] = [],
  env: Record<string, string> = {},
  onErrors?: Surroundings['onErrors'],
) {
  ran.add(name)
  // These spare PGlite's code an optimization that takes longer than what it does here.
  return runLine(String(scripts[name]), args, { env, flags: V8_FLAGS, ...(onErrors && { onErrors }) })
}

t.test('every script of package.json is a known command or tool', async (t) => {
  t.strictSame(Object.keys(scripts).sort(), [...COMMANDS, ...TOOLS].sort())
  for (const name of COMMANDS) t.match(scripts[name], /^node [\w/-]+\.ts( --check)?$/, name)
})

const lines = new Set(Object.values(scripts).flatMap((script) => script.match(/node [\w/-]+\.ts/g) ?? []))
const helps = new Map<string, string>()

t.test('every command prints its help, and names an unknown option in one line', async (t) => {
  const check = async (line: string) => {
    const [help, unknown] = await Promise.all([runLine(line, ['--help']), runLine(line, ['--bogus'])])
    t.equal(help.code, 0, `${line} --help: ${help.errors}`)
    t.match(help.output, /^Usage: .+\n\n\S.+\n {2}--help, -h +print this text\n.*\nExit codes: 0 [^\n]+\n$/s, line)
    helps.set(line, help.output)
    t.match({ ...unknown, line }, { code: 2, output: /^$/, errors: /^Unknown option --bogus\. .+ --help\n$/ }, line)
  }
  await Promise.all([...lines].map(check))
})

t.test('.ci/run prints its help and runs no check', async (t) => {
  const help = await runLine('bash .ci/run', ['--help'])
  t.match(help, { code: 0, output: /^Usage: \.ci\/run\n.+\nExit codes: 0 [^\n]+\n$/s, errors: '' })
  t.match(await runLine('bash .ci/run', ['--bogus']), { code: 2, output: '', errors: /^Unknown option --bogus\. / })
})

t.test('the help of npm start has its descriptions in one column', async (t) => {
  const [, variables = ''] = helps.get(String(scripts.start))!.split('Environment:\n')
  const columns = variables.split('\n').flatMap((line) => /^ {2}[A-Z][A-Z0-9_]+ +/.exec(line)?.[0].length ?? [])
  t.ok(columns.length > 50)
  t.equal(new Set(columns).size, 1)
})

t.test('the help of a command shows how to run it with npm', async (t) => {
  for (const name of COMMANDS.filter((name) => name !== 'check:drift')) {
    const call = name === 'start' ? 'npm start' : `npm run ${name === 'token' ? '--silent ' : ''}${name}`
    t.match(helps.get(String(scripts[name])), `Usage: ${call} --`)
  }
})

t.test('the readme lists every command, with options that it has', async (t) => {
  const readme = await read('README.md')
  const [, table = ''] = /\n\| command \| purpose \|\n(.+?)\n\n/s.exec(readme) ?? []
  for (const name of COMMANDS.filter((name) => !name.startsWith('generate:')))
    t.match(table, new RegExp(`^\\| \`npm (run )?(--silent )?${name}( -- [^\`]+)?\` \\|`, 'm'), name)
  for (const row of table.split('\n')) {
    const [, name = ''] = /npm (?:run )?(?:--silent )?([\w:]+)/.exec(row) ?? []
    if (!COMMANDS.includes(name)) continue
    const help = helps.get(String(scripts[name]).replace(' --check', ''))
    for (const [option] of row.matchAll(/--(?!silent|help)[a-z-]+/g)) t.match(help, `${option} `, `${name} ${option}`)
  }
})

t.test('invalid values of options are named before the command starts', async (t) => {
  const wrong = [
    ['start', ['--port', '4359'], /^Unknown option --port\. Settings are environment variables/],
    ['repair', ['--from', '9', '--to', '5'], /^--from is 9, which is above --to: 5\./],
    ['repair', ['--from', 'latest'], /^--from is latest; expected a block number/],
    ['audit', ['--wait', 'long'], /^--wait is long; expected a number/],
    ['token', ['--account', '-1'], /^--account has no value/],
    ['deploy', ['--owner', 'me'], /^--owner is me; expected an address/],
    ['screenshots', ['--only', 'zzz'], /^--only is zzz; the screens are home, search, /],
    ['bench:sizes', [], /^<DATABASE_URL> is missing/],
    ['bench:socket', ['lag'], /^PART is lag; expected one of broadcast, latency, soak/],
    ['bench:soak', ['--warm-up', '9'], /^--warm-up is 9, longer than --minutes: 5/],
    ['fuzz', [], /^--base is missing/],
    ['test:mutations', ['--only', 'docs'], /^--only is docs; expected a part of indexer, db\/queries, /],
  ] as const
  const check = async ([name, args, errors]: (typeof wrong)[number]) => {
    const outcome = await runLine(String(scripts[name]), args)
    t.match(outcome, { code: 2, output: /^$/, errors }, `${name}: ${outcome.errors}`)
    t.match(outcome.errors, /^.+ --help\n$/, 'one line, which says where the help is')
  }
  await Promise.all(wrong.map(check))
})

t.test('the check for late declarations finds constants below the call of a program', async (t) => {
  const program = (call: string) =>
    `import x from 'y'\n\nconst A = 1\n${call}\nfunction main() {\n  return B\n}\nconst B = A\n`
  for (const call of ['await main()', 'process.exitCode = await main().catch(fail)', 'main()', 'else await main()'])
    t.strictSame(findLateDeclarations(program(call)), ['B'], call)
  t.strictSame(findLateDeclarations(`${program('')}\nawait main()\n`), [])
})

t.test('the check for unnamed errors finds tests that accept any error', async (t) => {
  for (const call of ['t.rejects(read())', "t.throws(() => read(), 'it fails')", 't.rejects(read(), `it fails`)'])
    t.strictSame(findUnnamedErrors(`const a = 1\nawait ${call}\n`), [2], call)
  for (const call of [
    't.rejects(read(), /gone/)',
    "t.throws(() => read(), { code: 'GONE' }, 'it fails')",
    'rejects(read())',
  ])
    t.strictSame(findUnnamedErrors(call), [], call)
})

t.test('the check for kinds of launchpads finds their names outside of examples', (t) => {
  const kinds = ['new-pad', 'flap']
  for (const line of [
    "if (row.kind === 'new-pad') return 25",
    "const fees = { 'new-pad': 25 }",
    'const fees = { flap: null }',
    'launchpadKinds.flap.name',
    "sql`select 1 from tokens where launchpad_kind = 'new-pad'`",
    `sql\`select \${1} from tokens where launchpad_kind = 'new-pad' limit \${limit}\``,
  ])
    t.strictSame(findLaunchpadKinds(`const a = 1\n${line}\n`, kinds), [2], line)
  for (const line of [
    "Type.String({ description: 'Its kind.', examples: ['new-pad'] })",
    "exemplify('WRONG_STATE', { state: 'followed as new-pad from block 1' })",
    '// Pools of new-pad differ.',
    'const flaps = 1',
  ])
    t.strictSame(findLaunchpadKinds(line, kinds), [], line)
  t.strictSame(findLaunchpadKinds("const own = 'slipway'"), [1], 'those that are followed')
  t.end()
})

t.test('the check for NatSpec finds undocumented errors and constructors of contracts', async (t) => {
  const declarations = [
    'error Slippage(uint256 amount, uint256 minimum);',
    'constructor(\n    uint256 amount,\n    uint256 minimum\n  ) {}',
  ]
  const [amount, minimum] = ['@param amount Wei', '@param minimum Wei']
  const block = (...lines: string[]) => `  /**\n${lines.map((line) => `   * ${line}\n`).join('')}   */\n  `
  for (const [name, declaration] of [
    ['error Slippage', declarations[0]],
    ['constructor', declarations[1]],
  ] as const) {
    const contract = (comment: string) =>
      `contract A {\n  ${block('@notice One.').trim()}\n  error One();\n${comment}${declaration}\n}\n`
    for (const comment of [
      '  ',
      block('@notice Less.', amount),
      block('@notice Less.', minimum, amount),
      block('@notice Less.', amount, minimum, '@param more Wei'),
      block('@dev Less.', amount, minimum),
      `  /// @dev Less.\n  /// ${amount}\n  /// ${minimum}\n  `,
    ])
      t.strictSame(findUndocumentedErrors(contract(comment)), [name], comment)
    t.strictSame(findUndocumentedErrors(contract(block('@notice Less.', amount, minimum))), [])
    t.strictSame(findUndocumentedErrors(contract(`  /// @notice Less.\n  /// ${amount}\n  /// ${minimum}\n  `)), [])
  }
})

const folder = await mkdtemp(join(tmpdir(), 'slipway-commands-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const chain = await startChain(t)

t.test('token, reindex, repair, audit and preflight work on an indexed database', async (t) => {
  const [creator, trader] = [account(1), account(2)]
  const databaseUrl = await createDatabase(t)
  const dataDir = join(folder, 'data')
  await mkdir(dataDir)
  const service = await startService(t, { env: chain.env, ...(databaseUrl ? { databaseUrl } : { dataDir }) })
  const env = { ...chain.env, ...(databaseUrl ? { DATABASE_URL: databaseUrl } : { DATA_DIR: dataDir }) }
  const token = createdToken(await chain.send(creator, calls.create(chain.contracts, 'Cat', 'CAT', parseEther('0.1'))))
  const blocks: number[] = []
  // Each has two logs.
  for (let trade = 0; trade < 50; trade++) {
    const buy = calls.buy(chain.contracts, token, trader.address, parseEther('0.01'))
    blocks.push(Number((await chain.send(trader, buy)).blockNumber))
  }
  const countTrades = async () =>
    (await service.request('GET', `/tokens/${token}/trades?limit=100`)).body.data?.items?.length
  await until(countTrades, (trades) => trades === 51, 'the trades are indexed')

  const signedIn = await run('token', ['--base', service.url, '--account', '2'])
  t.equal(signedIn.code, 0, signedIn.errors)
  const me = await service.request('GET', '/auth/me', { token: signedIn.output.trim() })
  t.match(me, { status: 200, body: { data: { wallet: trader.address.toLowerCase() } } })
  await service.stop()
  t.match(await run('token', ['--base', service.url]), { code: 2, errors: /ECONNREFUSED/ })

  const withDatabase = async <T>(use: (db: Db) => Promise<T>): Promise<T> => {
    const { db, close } = await openDatabase({ databaseUrl: databaseUrl ?? null, dataDir })
    return use(db).finally(close)
  }
  const original = await withDatabase(async (db) => {
    const tables = await readTables(db)
    // As an indexer leaves it behind a node that has answered without these logs.
    await sql`update blocks set logs = null, log_count = 0 where number = any(${blocks}::bigint[])`.execute(db)
    return tables
  })
  const compare = async (db: Db) => diffTables(await readTables(db), original)
  t.match(await run('reindex', [], env), { code: 0, output: /^Rebuilt from [1-9]\d* logs/m })
  const above = await run('repair', ['--from', '999999'], env)
  t.match(above, { code: 2, output: /^$/, errors: /^Block 999999 is not indexed: the last indexed block is \d+\n$/ })
  const counted = await run('repair', ['--dry-run'], env)
  const count = /Block (\d+) of \1: 100 logs were missing, 0 forged, and 0 prices missing or wrong\n$/
  t.match(counted, { code: 1, output: count }, counted.errors)
  t.not((await withDatabase(compare)).length, 0, 'a dry run writes nothing')
  const repaired = await run('repair', ['--from', String(blocks[0])], env)
  t.match(repaired, { code: 0, output: count }, repaired.errors)
  await withDatabase(async (db) => {
    t.strictSame(await compare(db), [], 'the logs and the figures are back')
    await sql`update balances set balance = balance + 1`.execute(db)
  })

  t.match(await run('audit', [], env), { code: 1, output: /, [1-9]\d* differences\n$/ })
  // As a restored dump has it, whose backend ids belong to other sessions here. It expires while the command waits.
  const leaveLease = (db: Db) =>
    sql`update indexer_lease set holder = 'restored', backend_pid = (select pid from pg_stat_activity limit 1),
      expires_at = clock_timestamp() + interval '1 hour'`.execute(db)
  const expireLease = (db: Db) =>
    sql`update indexer_lease set expires_at = clock_timestamp() where holder = 'restored'`.execute(db)
  if (databaseUrl) await withDatabase(leaveLease)
  const waiting = /^Waiting until the lease of restored expires/m
  const rebuilt = await run('reindex', [], env, async (errors) => {
    if (databaseUrl && waiting.test(errors)) await withDatabase(expireLease)
  })
  t.match(rebuilt, { code: 0, output: /^Rebuilt from [1-9]\d* logs up to block \d+/m }, rebuilt.errors)
  if (databaseUrl) t.match(rebuilt.errors, waiting)
  t.strictSame(await withDatabase(compare), [], 'the damaged table is rebuilt')
  const audited = await run('audit', ['--wait', '0'], env)
  t.match(audited, { code: 0, output: /, 0 differences\n$/ }, audited.errors)

  const other = await startAnvil({ timestamp: 1_600_000_000 })
  t.teardown(() => other.stop())
  const elsewhere = { ...env, RPC_URL: other.url }
  t.match(await run('repair', ['--dry-run'], elsewhere), {
    code: 2,
    errors:
      /^No node of RPC_URL can be used: node 1 of RPC_URL is not used, because it is on another chain: its genesis is /,
  })
  const unsettled = await run('audit', ['--wait', '0'], elsewhere)
  t.match(unsettled, {
    code: 2,
    errors: /^The node of RPC_URL is on another chain than the database: its genesis is 0x/,
  })
  t.match(await run('start', [], { ...env, CHAIN_ID: '1', PORT: '0' }), {
    code: 1,
    errors:
      /^Could not start\. The node of RPC_URL is on chain 31337, and CHAIN_ID is 1\. Correct RPC_URL or CHAIN_ID;/,
  })

  t.match(await run('preflight', [], env), { code: 0, output: /\n\d+ ok, \d+ warnings, 0 failures\n$/ })
  const failing = await run('preflight', ['--quiet'], { ...env, CHAIN_ID: '1' })
  t.match(failing, { code: 1, output: /CHAIN_ID.*, [1-9]\d* failures\n$/s }, failing.errors)
})

t.test('deploy deploys the contracts to the chain', async (t) => {
  const results = join(folder, 'deployment')
  const key = toHex(account(5).getHdKey().privateKey as Uint8Array)
  const env = { RPC_URL: chain.url, DEPLOYER_KEY: key }
  const args = ['--folder', results]
  t.match(await run('deploy', args, env), { code: 0, output: /Nothing was sent/ })
  t.notOk(existsSync(join(results, '.env')))
  const deployed = await run('deploy', [...args, '--yes'], env)
  t.equal(deployed.code, 0, deployed.output + deployed.errors)
  const { DEPLOYMENTS } = parseEnv(await readFile(join(results, '.env'), 'utf8'))
  const list = JSON.parse(String(DEPLOYMENTS)) as { kind: string; address: Hex }[]
  t.ok(list.some(({ kind }) => kind === 'launchpad'))
  for (const { kind, address } of list) t.ok(await chain.client.getCode({ address }), kind)
})

t.test('distribute needs a database on a server', async (t) => {
  const expected = 'DATABASE_URL is not set; expected the database on the coordinator of Citus\n'
  t.match(await run('distribute'), { code: 2, output: '', errors: expected })
})

t.test(
  'reset deletes the embedded chain and database, and prepare:database creates the template of new ones',
  async (t) => {
    const DATA_DIR = join(folder, 'embedded')
    for (const name of ['chain', 'database', 'uploads']) {
      await mkdir(join(DATA_DIR, name), { recursive: true })
      await writeFile(join(DATA_DIR, name, 'file'), 'content')
    }
    t.match(await run('reset', [], { DATA_DIR }), { code: 0, output: /^Cleared the chain and the database in / })
    t.strictSame(await readdir(DATA_DIR), ['uploads'])
    t.match(await run('prepare:database'), { code: 0, output: /^Prepared the embedded database\.\n$/, errors: /^$/ })
    t.ok(existsSync(join(findMigratedCluster(), MARKER)))
  },
)

t.test('every operating command was run', async (t) => t.strictSame([...ran].sort(), OPERATING.toSorted()))
