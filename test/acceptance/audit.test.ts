import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain } from './support/chain.ts'
import { createDatabase, startService, until } from './support/service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const [creator, trader] = [account(1), account(2)]
const skip = process.env.TEST_DATABASE_URL ? false : 'roles and several processes need a PostgreSQL server'

const { PATH, NODE_COMPILE_CACHE } = process.env

async function run(script: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [`scripts/${script}.ts`], {
    cwd: ROOT,
    env: { PATH, ...(NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE }), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')])
  return { code: child.exitCode, output, errors }
}

async function connect(t: Test, url: string) {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  t.teardown(() => client.end())
  return client
}

/** Every row of every table, and which transaction wrote it. Partitions have the rows of a partitioned table. */
async function snapshot(client: pg.Client) {
  const { rows: tables } = await client.query<{ name: string }>(
    `select relname as name from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r' order by 1`,
  )
  const found: Record<string, unknown> = {}
  for (const { name } of tables) {
    const { rows } = await client.query(
      `select count(*) as rows, md5(coalesce(string_agg(xmin::text || r::text, '|' order by r::text), '')) as sum from "${name}" r`,
    )
    found[name] = rows[0]
  }
  return found
}

t.test('an audit with a read-only role finds no difference, and changes nothing', { skip }, async (t) => {
  const [chain, databaseUrl] = await Promise.all([startChain(t), createDatabase(t) as Promise<string>])
  const service = await startService(t, { env: chain.env, databaseUrl })
  const launch = await chain.send(creator, calls.create(chain.contracts, 'Cat', 'CAT', parseEther('0.1')))
  const token = createdToken(launch)
  const buy = () => chain.send(trader, calls.buy(chain.contracts, token, trader.address, parseEther('0.01')))
  await buy()
  const client = await connect(t, databaseUrl)
  const countTrades = async () => Number((await client.query('select from trades')).rowCount)
  await until(countTrades, (trades) => trades === 2, 'the trades are indexed')

  const reindexed = await run('reindex', { DATABASE_URL: databaseUrl })
  t.match(
    reindexed,
    { code: 2, errors: /^(Waiting until the lease of \S+ expires[^\n]*\n)?An indexer is active\. Stop every process/ },
    'reindex refuses meanwhile',
  )
  await service.stop()

  const role = `slipway_reader_${process.pid}_${Math.random().toString(36).slice(2, 8)}`
  await client.query(`create role ${role} login password 'reader'`)
  t.teardown(async () => {
    const server = await connect(t, process.env.TEST_DATABASE_URL as string)
    await server.query(`drop role ${role}`)
  })
  await client.query(`grant select on all tables in schema public to ${role}`)
  t.teardown(() => client.query(`drop owned by ${role}`))
  const reader = new URL(databaseUrl)
  Object.assign(reader, { username: role, password: 'reader' })
  const env = { ...chain.env, DATABASE_URL: reader.href }

  // Whatever indexes would find work to do.
  await buy()
  const before = await snapshot(client)
  const audited = await run('audit', env)
  t.match(audited, { code: 0, output: /1 tokens, \d+ logs, \d+ comparisons, 0 differences/ }, audited.errors)
  t.same(await snapshot(client), before)

  await client.query(`insert into kysely_migration (name, timestamp) values ('9999-later', '')`)
  t.match(await run('audit', env), { code: 2, errors: /\(9999-later\) is newer than this version/ })
  await client.query(
    `delete from kysely_migration where name in ('9999-later', (select max(name) from kysely_migration where name < '9'))`,
  )
  t.match(await run('audit', env), { code: 2, errors: /is older than this version\. Start the service/ })
})

t.test('audit and reindex fail without a database, and create none', async (t) => {
  const dataDir = t.testdir()
  const { code, errors } = await run('audit', { DATA_DIR: dataDir })
  t.equal(code, 2)
  t.match(errors, /^There is no database in /)
  t.match(await run('reindex', { DATA_DIR: dataDir }), { code: 2, errors: /^There is no database in / })
})
