// The soak's load: clients of every kind. Reports once a minute to the parent process.
import { ask, type LoadReport, type LoadTask, type Sent } from './client.ts'
import { People } from './people.ts'
import { drawRequest } from './requests.ts'
import { Sockets } from './sockets.ts'
import { World } from './world.ts'

const TICK_MS = 20
const REPORT_MS = 60_000
/** The rate ramps up while the service's code is compiled. */
const RAMP_MS = 30_000
/** Maximum requests in flight; above it none are sent, so a slow service is not flooded. */
const MAX_IN_FLIGHT = 400

async function main(task: LoadTask): Promise<void> {
  const send = (sent: Sent) => ask(task.url, sent)
  const world = new World(send)
  await world.open()
  const people = new People(task, send, world)
  await people.signIn()
  const sockets = new Sockets(task.url, world, people)
  await sockets.open(task.sockets)

  let report = { answers: 0, failures: 0, overloaded: 0, latencies: [] as number[], since: performance.now() }
  const surprises = new Map<string, number>()
  let inFlight = 0
  const one = async () => {
    const sent = drawRequest(world, people)
    const start = performance.now()
    inFlight++
    const { status, retryAfter, text } = await send(sent)
    inFlight--
    report.answers++
    report.latencies.push(performance.now() - start)
    sent.read?.(status, text)
    if (status === 503 && retryAfter) report.overloaded++
    else if (status >= 500 || status === 0) report.failures++
    if (sent.expect.includes(status)) return
    const path = sent.path.replace(/\?.*/, '').replaceAll(/0x\w+/g, '0x…')
    const what = `${sent.method} ${path}: ${status} ${text.slice(0, 120)}`
    surprises.set(what, (surprises.get(what) ?? 0) + 1)
  }
  const start = performance.now()
  let [sent, due, last] = [0, 0, start]
  setInterval(() => {
    const now = performance.now()
    due += ((now - last) / 1000) * task.rate * Math.min(1, (now - start) / RAMP_MS)
    last = now
    // Late requests are skipped, not sent in one burst.
    const burst = Math.min(Math.floor(due) - sent, MAX_IN_FLIGHT - inFlight, Math.ceil(task.rate / 4))
    sent = Math.floor(due)
    for (let left = burst; left > 0; left--) void one()
    sockets.act(TICK_MS)
  }, TICK_MS)
  setInterval(() => void world.refresh(), 20_000)
  setInterval(() => void people.trade(), 4_000)
  setInterval(() => {
    const sorted = report.latencies.sort((a, b) => a - b)
    const quantile = (part: number) => sorted[Math.floor(sorted.length * part)] ?? 0
    const lines = [...surprises].sort((a, b) => b[1] - a[1]).slice(0, 5)
    const { answers, failures, overloaded, since } = report
    const summary: LoadReport = {
      ...{ answers, failures, overloaded, seconds: (performance.now() - since) / 1000 },
      ...{ p50: quantile(0.5), p99: quantile(0.99), ...sockets.takeCounts() },
      surprises: lines.map(([what, count]) => `${count} x ${what}`),
    }
    report = { answers: 0, failures: 0, overloaded: 0, latencies: [], since: performance.now() }
    surprises.clear()
    process.send?.(summary)
  }, REPORT_MS)
}

process.on('disconnect', () => process.exit())
process.once('message', (task: LoadTask) => main(task))
process.send?.({ ready: true })
