import { setTimeout as pause } from 'node:timers/promises'
import { receive, startChild } from '../children.ts'

const TICK_MS = 200
/** Trades per tick, sent in one write: about 60 KB a second per socket, far more than a real market. */
const EVENTS = 20
const REPORT_MS = 30_000
const TOP_UP_MS = 1_000

interface Report {
  rss: number
  heap: number
  sockets: number
  slow: number
}

/**
 * Sockets that subscribe to a busy channel and never read. A disconnected socket is replaced, so their number is constant.
 * Prints the memory of the service every half minute.
 */
export async function soak(count: number, minutes: number): Promise<void> {
  const { child: server, first } = await startChild<{ port: number }>(new URL('server.ts', import.meta.url), [
    'slipway',
  ])
  const { child: clients } = await startChild(new URL('stalled-clients.ts', import.meta.url), [
    String(first.port),
    String(count),
  ])
  const start = performance.now()
  const seen: number[] = []
  let [reported, toppedUp] = [0, 0]
  for (let tick = 0; performance.now() - start < minutes * 60_000; tick++) {
    const answer = receive<Report>(server)
    server.send({ events: EVENTS })
    const { rss, heap, sockets, slow } = await answer
    const elapsed = performance.now() - start
    if (elapsed - toppedUp > TOP_UP_MS && sockets < count) {
      clients.send({ missing: count - sockets })
      await receive(clients)
      toppedUp = elapsed
    }
    if (elapsed - reported > REPORT_MS) {
      reported = elapsed
      seen.push(rss)
      const [seconds, total, used] = [elapsed / 1_000, rss / 2 ** 20, heap / 2 ** 20].map(Math.round)
      console.log(`${seconds} s   ${sockets} sockets   cut off ${slow}   RSS ${total} MB   heap ${used} MB`)
    }
    await pause(Math.max(0, start + (tick + 1) * TICK_MS - performance.now()))
  }
  const half = Math.floor(seen.length / 2)
  const most = (part: number[]) => Math.round(Math.max(...part) / 2 ** 20)
  if (half > 0)
    console.log(`most RSS: first half ${most(seen.slice(0, half))} MB, second half ${most(seen.slice(half))} MB`)
  clients.kill()
  server.kill()
}
