import type { ChildProcess } from 'node:child_process'
import { quantile, receive, startChild } from '../children.ts'
import type { Side } from './server.ts'

interface Pair {
  server: ChildProcess
  clients: ChildProcess
  arrivedMs: number[]
  loopMs: number[]
  rss: number
}

const WARM_UP = 3

/** Measures from the publication of an event to its arrival at the last socket, and compares with bare loops of `ws`. */
export async function measureBroadcast(count: number, rounds: number): Promise<void> {
  const pairs: Record<Side, Pair> = {
    slipway: await open('slipway', count),
    frame: await open('frame', count),
    send: await open('send', count),
  }
  const sides = Object.keys(pairs) as Side[]
  for (let round = 0; round < WARM_UP + rounds; round++) {
    // Alternating and rotating, so that other load affects all sides.
    for (let turn = 0; turn < sides.length; turn++) {
      const side = sides[(round + turn) % sides.length] as Side
      await broadcast(pairs[side], count, round >= WARM_UP)
    }
  }
  for (const side of sides) {
    const { arrivedMs, loopMs, rss } = pairs[side]
    const figures = [
      side.padEnd(8),
      `all ${count} have it after ${quantile(arrivedMs, 0.5).toFixed(1)} ms`,
      `sent after ${quantile(loopMs, 0.5).toFixed(1)} ms`,
      `server ${Math.round(rss / 1024 / 1024)} MB`,
    ]
    console.log(figures.join('   '))
  }
  for (const side of ['frame', 'send'] as const) {
    const ratio = (of: 'arrivedMs' | 'loopMs') => quantile(pairs.slipway[of], 0.5) / quantile(pairs[side][of], 0.5)
    console.log(`slipway / ${side}: arrived ${ratio('arrivedMs').toFixed(2)}, sent ${ratio('loopMs').toFixed(2)}`)
  }
  for (const { server, clients } of Object.values(pairs)) {
    clients.kill()
    server.kill()
  }
}

async function open(side: Side, count: number): Promise<Pair> {
  const { child: server, first } = await startChild<{ port: number }>(new URL('server.ts', import.meta.url), [side])
  const { child: clients } = await startChild(new URL('clients.ts', import.meta.url), [
    String(first.port),
    String(count),
  ])
  return { server, clients, arrivedMs: [], loopMs: [], rss: 0 }
}

async function broadcast(pair: Pair, count: number, counts: boolean): Promise<void> {
  const sent = receive<{ start: string; loopMs: number; bytes: number; rss: number }>(pair.server)
  pair.server.send({})
  const { start, loopMs, bytes, rss } = await sent
  const arrived = receive<{ last: string; total: number }>(pair.clients)
  pair.clients.send({ bytes })
  const { last, total } = await arrived
  if (total !== bytes * count) throw new Error(`${total} bytes arrived, not ${bytes * count}`)
  pair.rss = rss
  if (!counts) return
  pair.arrivedMs.push(Number(BigInt(last) - BigInt(start)) / 1e6)
  pair.loopMs.push(loopMs)
}
