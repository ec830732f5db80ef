import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, copyFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { startChain } from '../acceptance/support/chain.ts'
import { createDatabase, until } from '../acceptance/support/service.ts'
import { buildStages, type Image } from '../support/container/build-image.ts'
import { parseScrape, readValue } from '../support/scrape.ts'
import { findPort } from '../support/servers/find-port.ts'

const { TEST_DATABASE_URL, TEST_REDIS_URL } = process.env
if (!TEST_DATABASE_URL || !TEST_REDIS_URL) {
  t.plan(0, 'the image is for PostgreSQL and Redis, which this run does not name')
  process.exit(0)
}

/** The arguments of `env` that give a program this environment and nothing else, not even what a test runner adds. */
const clean = (env: Record<string, string>) => ['-i', ...Object.entries(env).map(([name, value]) => `${name}=${value}`)]

/** Only root may become somebody else. */
const become = ({ user }: Image) => (process.getuid?.() === 0 ? user : {})

const build = await buildStages(t)
const chain = await startChain(t)
const settings = {
  // Patient, because the machine of a test is busy.
  OG_PATIENCE_MS: '30000',
  MAX_LOOP_DELAY_MS: '0',
  ...chain.env,
  DATABASE_URL: (await createDatabase(t))!,
  REDIS_URL: TEST_REDIS_URL,
  JWT_KEYS: 'key-1:a-secret-of-this-test-that-is-long-enough',
  PUBLIC_URL: 'https://launch.example',
}

interface Container {
  url: string
  child: ChildProcess
  output: () => string
  healthy: () => Promise<boolean>
}

/** Runs the image's command as its user, in its folder, with its environment and what is given. */
async function start(image: Image, given: Record<string, string>): Promise<Container> {
  const node = join(image.root, 'node')
  await copyFile(process.execPath, node)
  const PORT = String(await findPort())
  const data = join(image.root, 'data')
  const env = { ...image.env, DATA_DIR: data, HOME: data, HOST: '127.0.0.1', ...given, PORT, PATH: '/usr/bin:/bin' }
  const [program, ...args] = image.command
  if (program !== 'node') throw new Error(`CMD runs ${program}`)
  const child = spawn('env', [...clean(env), node, ...args], { cwd: join(image.root, 'app'), ...become(image) })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  for (const pipe of [child.stdout, child.stderr]) pipe?.on('data', (chunk) => (output += chunk))
  const healthy = () =>
    promisify(execFile)('env', [...clean(env), node, ...image.health.slice(1)], become(image)).then(
      () => true,
      () => false,
    )
  const url = `http://127.0.0.1:${PORT}`
  const deadline = Date.now() + 120_000
  while (
    !(await fetch(`${url}/live`).then(
      ({ ok }) => ok,
      () => false,
    ))
  ) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error(`It did not come up:\n${output}`)
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return { url, child, output: () => output, healthy }
}

/** Runs the image's command until it ends by itself. */
async function runToEnd(image: Image, given: Record<string, string>): Promise<{ code: number | null; output: string }> {
  const [, ...args] = image.command
  const env = {
    ...image.env,
    NODE_ENV: 'development',
    DATA_DIR: join(image.root, 'data'),
    PORT: '0',
    PATH: '/usr/bin:/bin',
    ...given,
  }
  const child = spawn('env', [...clean(env), process.execPath, ...args], { cwd: join(image.root, 'app') })
  t.teardown(() => child.kill('SIGKILL'))
  let output = ''
  for (const pipe of [child.stdout, child.stderr]) pipe.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  return { code, output }
}

async function stop({ child }: Container): Promise<number | null> {
  const ended = once(child, 'close')
  child.kill('SIGTERM')
  await ended
  return child.exitCode
}

t.test('the production image holds only the files that it needs to run', async (t) => {
  const app = join(build('production').root, 'app')
  for (const path of ['server.ts', 'node_modules/fastify', 'routes', 'package.json']) await access(join(app, path))
  for (const path of ['dev', 'contracts', 'test', 'bench', 'docs', '.git', 'Dockerfile', 'node_modules/typescript']) {
    await t.rejects(access(join(app, path)), { code: 'ENOENT' }, path)
  }
  for (const path of ['tap', 'node', '@biomejs', '@foundry-rs', '@electric-sql']) {
    await t.rejects(access(join(app, 'node_modules', path)), { code: 'ENOENT' }, path)
  }
  const { stdout } = await promisify(execFile)('du', ['-sm', app])
  t.ok(Number.parseInt(stdout, 10) < 400, `${stdout.split('\t')[0]} MB`)
})

t.test(
  'the production image serves as an unprivileged user, passes its health check and stops on SIGTERM',
  async (t) => {
    const image = build('production')
    t.not(image.user.uid, 0)
    t.equal((await stat(join(image.root, 'app/server.ts'))).mode & 0o022, 0, 'nobody else may write its code')
    const container = await start(image, settings)
    const health = await until(
      async () => (await fetch(`${container.url}/health`)).status,
      (status) => status === 200,
      'healthy',
    )
    t.equal(health, 200)
    t.equal(await container.healthy(), true, 'HEALTHCHECK')
    const card = await fetch(`${container.url}/og/token/0x${'0'.repeat(40)}`)
    t.equal(card.headers.get('content-type'), 'image/png', 'native modules and fonts are there')
    t.equal(await stop(container), 0, 'SIGTERM')
    t.equal(await container.healthy(), false)
    t.match(container.output(), /SIGTERM: stopping/)
  },
)

t.test('without the demonstration, a missing setting is named with the command that installs it', async (t) => {
  // The files of the source with what `npm ci --omit=dev --workspaces=false` installs.
  const { DATABASE_URL, JWT_KEYS } = settings
  const image = { ...build('production'), root: build('everything').root }
  const withoutDatabase = await runToEnd(image, {})
  t.equal(withoutDatabase.code, 1)
  t.match(withoutDatabase.output, /DATABASE_URL: is not set, .* is not installed\. Set it .* `npm ci`/)
  const withoutNode = await runToEnd(image, { DATABASE_URL, JWT_KEYS })
  t.equal(withoutNode.code, 1)
  t.match(withoutNode.output, /RPC_URL: is not set, .* is not installed\. Set it .* `npm ci`/)
})

t.test('the production image runs the indexer role, with probes and metrics at separate ports', async (t) => {
  const METRICS_PORT = String(await findPort())
  const container = await start(build('production'), { ...settings, ROLE: 'indexer', METRICS_PORT })
  const status = async (path: string) => (await fetch(container.url + path)).status
  t.equal(await container.healthy(), true, 'HEALTHCHECK')
  t.equal(await status('/tokens'), 404)
  t.equal(await status('/metrics'), 404)
  const metrics = async () => parseScrape(await (await fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`)).text())
  await until(metrics, (now) => readValue(now, 'slipway_indexer_leader') === 1, 'it leads')
  t.equal(await status('/health'), 200)
  t.equal(await stop(container), 0)
})

t.test('the production image fails to start without required settings, and names them', async (t) => {
  const image = build('production')
  const child = spawn(process.execPath, image.command.slice(1), { cwd: join(image.root, 'app'), env: image.env })
  let output = ''
  child.stderr.on('data', (chunk) => (output += chunk))
  const [code] = await once(child, 'close')
  t.equal(code, 1)
  for (const name of ['JWT_KEYS', 'PUBLIC_URL', 'DATABASE_URL', 'RPC_URL']) t.match(output, name)
})

t.test('the demo image runs without settings, with its own chain, market and database', async (t) => {
  const container = await start(build('demo'), { MARKET: 'off' })
  const status = async () => (await fetch(`${container.url}/health`)).status
  await until(status, (is) => is === 200, 'healthy')
  t.match(await (await fetch(`${container.url}/config`)).json(), { success: true, data: { chainId: 31337 } })
  t.equal(await stop(container), 0)
})
