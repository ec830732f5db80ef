import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, type Service, startService, until } from '../acceptance/support/service.ts'
import { signIn } from '../acceptance/support/sign-in.ts'
import { ROOT } from '../sdk/support/package.ts'
import { readBlocks, runShell } from './support/guide.ts'

const handbook = await readFile(join(ROOT, 'docs/operations.md'), 'utf8')
const blocks = await readBlocks('docs/operations.md')
const commandsOf = (name: string) => String(blocks.find((block) => block.name === name)?.code)

const SERVER_URL = process.env.TEST_DATABASE_URL
const noDatabase = !SERVER_URL && 'the handbook is about PostgreSQL, which this run does not name'
const [creator, trader] = [account(1), account(2)]
const run = promisify(execFile)

const folder = await mkdtemp(join(tmpdir(), 'slipway-handbook-'))
t.teardown(() => rm(folder, { recursive: true, force: true }))
const chain = noDatabase ? undefined : await startChain(t)

const start = (t: Test, databaseUrl: string, env: Record<string, string> = {}, dataDir = folder) =>
  startService(t, { databaseUrl, dataDir, env: { ...chain?.env, PUBLIC_URL: 'http://handbook.example', ...env } })

const signInAs = (service: Service, signer: typeof creator) =>
  signIn(service, '', { wallet: signer.address, account: signer })

/** Launches a token, buys it and comments on it. Resolves to the paths under which all of that is told. */
async function fill(service: Service): Promise<string[]> {
  const { contracts, send } = chain!
  const own = await signInAs(service, creator)
  const creation = await send(creator, calls.create(contracts, 'The Handbook', 'BOOK', parseEther('0.1')))
  const token = createdToken(creation)
  await send(trader, calls.buy(contracts, token, trader.address, parseEther('0.2')))
  await until(
    () => service.request('GET', `/tokens/${token}/trades`),
    ({ body }) => body.data?.items?.length === 2,
    'both trades are indexed',
  )
  const metadata = await service.request('POST', '/uploads/metadata', { token: own, body: { name: 'The Handbook' } })
  await service.request('POST', `/tokens/${token}/comments`, { token: own, body: { text: 'Kept?' } })
  await service.request('PATCH', '/profiles/me', { token: own, body: { username: 'keeper' } })
  return [
    ...['', '/trades', '/holders', '/comments', '/chart?interval=1h'].map((path) => `/tokens/${token}${path}`),
    ...[`/profiles/${creator.address}`, `/portfolio?wallet=${trader.address}`, '/transactions'],
    new URL(metadata.body.data.uri).pathname,
  ]
}

const readAll = (service: Service, paths: string[]) =>
  Promise.all(
    paths.map(async (path) => {
      const { status, body } = await service.request('GET', path)
      return { path, status, body }
    }),
  )

t.test(
  'an ordinary role restores a backup by the handbook on a new machine, and the service answers the same',
  { skip: noDatabase },
  async (t) => {
    const databaseUrl = String(await createDatabase(t))
    const service = await start(t, databaseUrl)
    const paths = await fill(service)
    const before = await readAll(service, paths)
    t.same([...new Set(before.map(({ status }) => status))], [200])

    const name = `slipway_restored_${process.pid}`
    const backups = await mkdtemp(join(tmpdir(), 'slipway-backup-'))
    t.teardown(() => rm(backups, { recursive: true, force: true }))
    const restored = Object.assign(new URL(databaseUrl), { pathname: `/${name}`, username: name, password: name })
    const onServer = async (statement: string) => {
      const client = new pg.Client(SERVER_URL)
      await client.connect()
      await client.query(statement).finally(() => client.end())
    }
    t.teardown(() => onServer(`drop role if exists ${name}`))
    t.teardown(() => onServer(`drop database if exists ${name} with (force)`))
    await onServer(`create role ${name} login password '${name}'`)
    const environment = {
      ...process.env,
      ...chain?.env,
      PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
      npm_config_cache: join(backups, 'cache'),
      SERVER_URL,
    }
    await runShell(commandsOf('backup'), backups, { ...environment, DATABASE_URL: databaseUrl, DATA_DIR: folder })
    await service.stop()
    await onServer(`drop database ${new URL(databaseUrl).pathname.slice(1)} with (force)`)

    // npm looks for its package where it is called.
    const commands = commandsOf('restore')
      .replace('--owner=slipway slipway_restored', `--owner=${name} ${name}`)
      .replace('npm run', `npm --prefix ${ROOT} run`)
    const newFolder = join(backups, 'new')
    const env = { ...environment, DATABASE_URL: restored.href, DATA_DIR: newFolder }
    t.match(await runShell(commands, backups, env), /Block \d+: 1 tokens, \d+ logs, \d+ comparisons, 0 differences/)
    const again = await start(t, restored.href, {}, newFolder)
    t.same(await readAll(again, paths), before)
  },
)

t.test(
  'a new version beside the old one takes over, and reindex changes no answer',
  { skip: noDatabase },
  async (t) => {
    const databaseUrl = String(await createDatabase(t))
    const old = await start(t, databaseUrl)
    const paths = await fill(old)
    const next = await start(t, databaseUrl)
    t.equal((await next.request('GET', '/ready')).status, 200)
    const before = await readAll(old, paths)
    t.same(await readAll(next, paths), before, 'both answer the same meanwhile')
    await old.stop()
    const token = paths[0]?.slice('/tokens/'.length) as `0x${string}`
    await chain?.send(trader, calls.buy(chain.contracts, token, trader.address, parseEther('0.1')))
    const trades = await until(
      () => next.request('GET', `/tokens/${token}/trades`),
      ({ body }) => body.data.items.length === 3,
      'the new one leads',
    )
    await next.stop()

    t.match(handbook, '`npm run reindex` with the indexers stopped')
    const env = { ...process.env, ...chain?.env, DATABASE_URL: databaseUrl, DATA_DIR: folder }
    t.match((await run(process.execPath, ['scripts/reindex.ts'], { cwd: ROOT, env })).stdout, /^Rebuilt from \d+ logs/)
    const after = await start(t, databaseUrl)
    t.same((await after.request('GET', `/tokens/${token}/trades`)).body, trades.body)
  },
)

t.test(
  'keys are rotated as the handbook says, and nobody is signed out before a day is over',
  { skip: noDatabase },
  async (t) => {
    const databaseUrl = String(await createDatabase(t))
    const [command = ''] = /openssl rand [^`]*/.exec(handbook) ?? []
    const secrets: Record<string, string> = {}
    for (const kid of ['old', 'new']) secrets[kid] = (await runShell(command, folder, process.env)).trim()
    const lists = [...handbook.matchAll(/`((?:old|new):…,(?:old|new):…)`/g)].map(([, list]) => String(list))
    t.same(lists, ['old:…,new:…', 'new:…,old:…'], 'both are known before one signs')
    const write = (list: string) => list.replaceAll(/(\w+):…/g, (_, kid) => `${kid}:${secrets[kid]}`)

    const tokens: { kid: string; token: string }[] = []
    for (const [list, signs, refused] of [
      ['old:…', 'old', undefined],
      [lists[0], 'old', undefined],
      [lists[1], 'new', undefined],
      ['new:…', 'new', 'old'],
    ] as const) {
      const service = await start(t, databaseUrl, { JWT_KEYS: write(String(list)), ROLE: 'api' })
      const token = await signInAs(service, trader)
      const [header, claims] = token.split('.', 2).map((part) => JSON.parse(Buffer.from(part, 'base64url').toString()))
      t.equal(header.kid, signs, `${list} signs with ${signs}`)
      t.equal(claims.exp - claims.iat, 86_400, 'the life of a token is a day')
      tokens.push({ kid: signs, token })
      for (const { kid, token } of tokens)
        t.equal(
          (await service.request('GET', '/auth/me', { token })).status,
          kid === refused ? 401 : 200,
          `${list}: ${kid}`,
        )
      await service.stop()
    }
  },
)
