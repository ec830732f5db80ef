// Sockets that measure the delay of messages about trades, in a process of its own.
import { once } from 'node:events'
import { createHistogram } from 'node:perf_hooks'
import { WebSocket } from 'ws'
import { addressOfToken, countLaunches, drawPopular, minedAt, type Shape } from './shape.ts'

export interface SocketsTask {
  url: string
  shape: Shape
  sockets: number
}

export type SocketsMessage = 'report' | 'measure' | 'finish'

/** Since the last report or, at the end, since `measure`. Milliseconds from the block to the client. */
export interface SocketsReport {
  messages: number
  trades: number
  p50: number
  p99: number
  max: number
  /** Connections closed by the service. */
  breaks: number
}

const ABREAST = 50
/** One socket in a hundred receives all trades, four all launches, the others a popular token each. */
const roomOf = (at: number, { shape }: SocketsTask): string => {
  if (at % 100 === 0) return 'trades'
  if (at % 100 <= 4) return 'tokens'
  return `token:${addressOfToken(drawPopular(countLaunches(shape, shape.blocks), Math.random))}`
}

class Counts {
  messages = 0
  breaks = 0
  readonly delays = createHistogram()

  report(): SocketsReport {
    const { messages, breaks, delays } = this
    const at = (percent: number) => (delays.count === 0 ? 0 : delays.percentile(percent))
    return { messages, breaks, trades: delays.count, p50: at(50), p99: at(99), max: at(100) }
  }
}

let [recent, whole] = [new Counts(), new Counts()]

async function open(task: SocketsTask, at: number): Promise<void> {
  const socket = new WebSocket(`${task.url.replace('http', 'ws')}/ws`, { perMessageDeflate: false })
  await once(socket, 'open')
  socket.on('error', () => {})
  socket.on('close', () => {
    for (const counts of [recent, whole]) counts.breaks += 1
  })
  socket.on('message', (data) => {
    const now = Date.now()
    const [, block] = /"type":"trade",.*?"blockNumber":(\d+)/.exec(String(data)) ?? []
    for (const counts of [recent, whole]) {
      counts.messages += 1
      if (Number(block) > task.shape.blocks)
        counts.delays.record(Math.max(1, Math.round(now - minedAt(task.shape, Number(block)))))
    }
  })
  socket.send(JSON.stringify({ type: 'subscribe', room: roomOf(at, task) }))
}

async function openAll(task: SocketsTask): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: ABREAST }, async () => {
      while (next < task.sockets) await open(task, next++)
    }),
  )
}

process.on('message', async (task: SocketsTask | SocketsMessage) => {
  if (typeof task === 'object') {
    const failure = await openAll(task).then(
      () => undefined,
      (error: Error) => error.message,
    )
    process.send?.({ failure })
  } else if (task === 'measure') whole = new Counts()
  else if (task === 'report') {
    process.send?.(recent.report())
    recent = new Counts()
  } else process.send?.(whole.report(), () => process.exit())
})
process.on('disconnect', () => process.exit())
process.on('SIGINT', () => {})
process.send?.({ ready: true })
