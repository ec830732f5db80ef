// Sends requests on keep-alive connections, one at a time on each. It reads only the status and length of a response, because
// Node's HTTP clients are slower than the servers and would be the bottleneck.
import { connect } from 'node:net'

export interface Task {
  port: number
  /** The bytes of each request; every connection cycles through them. */
  requests: string[]
  connections: number
  /** Ends after this many milliseconds, or after this many responses. */
  ms?: number
  count?: number
  /** Measures each response of a task that ends by time as well. */
  timed?: boolean
  /**
   * Keeps the generator's core busy while it waits. Else each response to an idle generator wakes its core, which on a
   * virtual machine takes longer than a cached read, and the slower server pays for it more often.
   */
  awake?: boolean
}

export interface Outcome {
  answers: number
  ms: number
  /** Number of responses by status. */
  statuses: Record<number, number>
  /** Milliseconds of each response; only for tasks that end by count or are timed. */
  latencies: number[]
}

const END = Buffer.from('\r\n\r\n')
const LAST_CHUNK = Buffer.from('0\r\n\r\n')

function run({
  port,
  requests,
  connections,
  ms,
  count = Number.POSITIVE_INFINITY,
  timed,
  awake,
}: Task): Promise<Outcome> {
  const bytes = requests.map((text) => Buffer.from(text, 'latin1'))
  const outcome: Outcome = { answers: 0, ms: 0, statuses: {}, latencies: [] }
  const isTimed = timed || count !== Number.POSITIVE_INFINITY
  const start = performance.now()
  let over = false
  let asked = 0
  const { promise, resolve, reject } = Promise.withResolvers<Outcome>()
  const sockets = Array.from({ length: connections }, (_, at) => {
    const socket = connect(port, '127.0.0.1')
    socket.setNoDelay(true)
    let next = Math.floor((at * bytes.length) / connections)
    let sentAt = 0
    let head: Buffer = Buffer.alloc(0)
    /** Remaining bytes of the body; null until the head is complete. */
    let missing: number | null = null
    const ask = () => {
      if (over || asked >= count) return
      asked++
      sentAt = performance.now()
      socket.write(bytes[next] as Buffer)
      next = (next + 1) % bytes.length
    }
    const finish = () => {
      missing = null
      head = Buffer.alloc(0)
      outcome.answers++
      if (isTimed) outcome.latencies.push(performance.now() - sentAt)
      if (outcome.answers >= count) end()
      else ask()
    }
    socket.on('data', (chunk: Buffer) => {
      if (missing === null) {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
        const at = head.indexOf(END)
        if (at < 0) return
        const text = head.toString('latin1', 0, at).toLowerCase()
        const status = Number(text.slice(9, 12))
        outcome.statuses[status] = (outcome.statuses[status] ?? 0) + 1
        const length = text.indexOf('\r\ncontent-length: ')
        if (text.includes('\r\ntransfer-encoding: chunked')) missing = Number.POSITIVE_INFINITY
        else if (length < 0 && status !== 304) reject(new Error(`An answer without a length: ${text}`))
        else
          missing =
            (length < 0 ? 0 : Number.parseInt(text.slice(length + 18, length + 30), 10)) - (head.length - at - 4)
      } else missing -= chunk.length
      // One request at a time on a connection: the last chunk ends the bytes.
      if (
        missing === Number.POSITIVE_INFINITY
          ? chunk.subarray(-LAST_CHUNK.length).equals(LAST_CHUNK)
          : (missing ?? 1) <= 0
      )
        finish()
    })
    socket.on('connect', ask)
    socket.on('error', reject)
    socket.on('close', () => over || reject(new Error('A connection was closed')))
    return socket
  })
  const end = () => {
    if (over) return
    over = true
    outcome.ms = performance.now() - start
    for (const socket of sockets) socket.destroy()
    resolve(outcome)
  }
  if (ms !== undefined) setTimeout(end, ms)
  const stayAwake = () => {
    if (!over) setImmediate(stayAwake)
  }
  if (awake) stayAwake()
  return promise
}

process.on('message', async (task: Task) => {
  const outcome = await run(task).catch((error: Error) => {
    console.error(error.message)
    process.exit(1)
  })
  process.send?.(outcome)
})
process.on('disconnect', () => process.exit())
process.send?.({ ready: true })
