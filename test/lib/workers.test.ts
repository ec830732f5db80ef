import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { readFile, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import t, { type Test } from 'tap'
import { createMetrics } from '../../lib/telemetry/create-metrics.ts'
import { MetricsOfAll } from '../../lib/workers/metrics-of-all.ts'
import { PACE, RestartPace } from '../../lib/workers/restart-pace.ts'
import { parseScrape, readValue } from '../support/scrape.ts'
import { findPort } from '../support/servers/find-port.ts'
import { waitFor, waitUntil } from '../support/waits/wait-until.ts'

const PRIMARY = fileURLToPath(new URL('../support/workers/primary.ts', import.meta.url))

interface LogLine {
  level: string
  msg: string
  pauseMs?: number
}

function startPrimary(t: Test, env: Record<string, string>) {
  const { PATH = '' } = process.env
  const child = spawn(process.execPath, [PRIMARY], { env: { PATH, ...env }, stdio: ['ignore', 'pipe', 'inherit'] })
  let printed = ''
  child.stdout.on('data', (chunk: Buffer) => {
    printed += chunk
  })
  const closed = once(child, 'close')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await closed
  })
  const log = (): LogLine[] =>
    printed
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line))
  const hasSaid = (message: string, times = 1) =>
    waitUntil(message, () => log().filter(({ msg }) => msg.startsWith(message)).length >= times)
  const exitCode = async () => {
    await closed
    return child.exitCode
  }
  return { child, log, hasSaid, exitCode }
}

/** Established ones, as the kernel sees them, whether or not a process has accepted them. */
async function countConnections(port: number): Promise<number> {
  const tables = await Promise.all(['tcp', 'tcp6'].map((name) => readFile(`/proc/net/${name}`, 'utf8').catch(() => '')))
  const local = new RegExp(
    `^ *\\d+: [0-9A-F]+:${port.toString(16).toUpperCase().padStart(4, '0')} [0-9A-F:]+ 01 `,
    'gm',
  )
  return tables.reduce((sum, table) => sum + (table.match(local)?.length ?? 0), 0)
}

t.test('the pause before a replacement doubles up to a limit, and is short again after a stable time', async (t) => {
  const pace = new RestartPace(PACE)
  const pauses = Array.from({ length: 5 }, () => pace.fail(10))
  t.same(pauses, [500, 1_000, 2_000, 4_000, 8_000])
  t.notOk(pace.isHopeless)
  t.equal(pace.fail(0), 16_000)
  t.ok(pace.isHopeless)
  t.equal(pace.fail(0), 30_000)
  t.equal(pace.fail(60_000), 500)
  t.notOk(pace.isHopeless)
})

t.test('the service ends with 1 when its only worker ends again and again', async (t) => {
  const { log, exitCode } = startPrimary(t, { BEHAVIOUR: 'ends' })
  t.equal(await exitCode(), 1)
  t.same(
    log()
      .filter(({ level }) => level === 'error')
      .map(({ pauseMs }) => pauseMs),
    [1, 2, 4, 4],
  )
  t.match(log().at(-1), { level: 'fatal', code: 3, msg: /^Workers end again and again/ })
})

t.test('a worker that ends before it is ready fails the start', async (t) => {
  const { log, exitCode } = startPrimary(t, { BEHAVIOUR: 'starts-never' })
  t.equal(await exitCode(), 4)
  t.same(log(), [])
})

t.test('a reload whose new worker does not start leaves the former one in its place', async (t) => {
  const refused = join(t.testdir({}), 'refused')
  const { child, log, hasSaid, exitCode } = startPrimary(t, { REFUSED_BY: refused })
  await hasSaid('ready')
  const worker = Number(log()[0]?.msg.split(' ')[1])
  writeFileSync(refused, '')
  child.kill('SIGHUP')
  await hasSaid('The reload ends')
  t.ok(process.kill(worker, 0), 'it runs')
  await rm(refused)
  child.kill('SIGHUP')
  await hasSaid('Reloaded')
  t.throws(() => process.kill(worker, 0), { code: 'ESRCH' }, 'the next reload replaces it')
  child.kill('SIGTERM')
  // This worker has no way to end in order.
  t.equal(await exitCode(), 1)
})

t.test('a worker that does not stop is killed, and the exit code shows it', async (t) => {
  const { child, log, hasSaid, exitCode } = startPrimary(t, { BEHAVIOUR: 'stops-never' })
  await hasSaid('ready')
  const worker = Number(log()[0]?.msg.split(' ')[1])
  child.kill('SIGTERM')
  t.equal(await exitCode(), 1)
  t.throws(() => process.kill(worker, 0), { code: 'ESRCH' })
})

t.test('workers end with the process that started them', async (t) => {
  const { child, log, hasSaid, exitCode } = startPrimary(t, { BEHAVIOUR: 'stops-never' })
  await hasSaid('ready')
  const worker = Number(log()[0]?.msg.split(' ')[1])
  child.kill('SIGKILL')
  await exitCode()
  const isRunning = () => {
    try {
      return process.kill(worker, 0)
    } catch {
      return false
    }
  }
  await waitUntil('the worker has ended', () => !isRunning())
})

t.test('no client of a worker that is killed waits for ever', async (t) => {
  const port = await findPort()
  const { child, hasSaid, exitCode } = startPrimary(t, { WORKERS: '2', PORT: String(port) })
  await hasSaid('ready')
  /** On a connection of its own, which stays open. */
  const connect = () => {
    const agent = new Agent({ keepAlive: true })
    t.teardown(() => agent.destroy())
    const sent = request({ port, agent }).end()
    const closed = new Promise<void>((resolve) =>
      sent.once('socket', (socket) => socket.once('close', () => resolve())),
    )
    const answered = once(sent, 'response').then(([response]) => text(response as IncomingMessage))
    return { closed, answered }
  }
  const clients = new Map<number, Promise<void>>()
  await waitUntil('both workers have a client', async () => {
    const { closed, answered } = connect()
    clients.set(Number(await answered), closed)
    return clients.size === 2
  })
  const [killed, other] = [...clients.keys()] as [number, number]
  for (const worker of [killed, other]) process.kill(worker, 'SIGSTOP')
  const waiting = Array.from({ length: 6 }, () => connect().answered)
  await waitUntil('they are connected', async () => (await countConnections(port)) >= 6 + clients.size)
  process.kill(killed, 'SIGKILL')
  process.kill(other, 'SIGCONT')
  await waitFor('an open connection of the killed worker is closed', clients.get(killed) as Promise<void>)
  const answers = await waitFor('those that nobody had accepted are answered', Promise.all(waiting))
  t.notOk(answers.includes(String(killed)))
  child.kill('SIGTERM')
  await exitCode()
})

t.test('metrics of several processes become those of one', async (t) => {
  const createProcess = (requests: number, block: number) => {
    const metrics = createMetrics()
    metrics.counter('requests_total', 'Requests').inc(requests)
    metrics.histogram('wait_seconds', 'Waits', { buckets: [1] }).observe(requests)
    metrics.gauge('http_connections', 'Connections', () => requests)
    metrics.gauge('indexer_head_block', 'Newest block', () => block)
    metrics.gauge('process_uptime_seconds', 'Age', () => block)
    return metrics
  }
  const all = new MetricsOfAll()
  const [first, second] = [createProcess(2, 10), createProcess(3, 11)]
  all.set(1, await first.read())
  all.set(2, await second.read())
  const read = async () => {
    const metrics = parseScrape(await all.toText())
    const names = ['requests_total', 'wait_seconds_sum', 'wait_seconds_count', 'http_connections']
    return [...names, 'indexer_head_block', 'process_uptime_seconds'].map((name) =>
      readValue(metrics, `slipway_${name}`),
    )
  }
  t.same(await read(), [5, 5, 2, 5, 11, 10], 'sums; the highest where all say the same; the lowest age')
  all.end(1)
  t.same(await read(), [5, 5, 2, 3, 11, 11], 'what an ended process has counted stays; its gauges do not')
  all.end(2)
  all.set(3, await createProcess(1, 12).read())
  t.same(await read(), [6, 6, 3, 1, 12, 12])
  all.end(2)
  t.same(await read(), [6, 6, 3, 1, 12, 12], 'an end counts once')
})
