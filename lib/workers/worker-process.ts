import cluster, { type Worker } from 'node:cluster'
import type { MetricValues } from '../telemetry/create-metrics.ts'
import type { ToPrimary, ToWorker } from './messages.ts'

/** How long a scrape waits for one process. */
const METRICS_MS = 2_000

interface Handlers {
  /** Asked for by a client of this worker. */
  readAllMetrics: () => Promise<string>
  /** The last metrics of the process. */
  onEnding: (pid: number, values: MetricValues) => void
}

export interface Ended {
  code: number | null
  signal: string | null
  /** How long it had served; 0 if it never did. */
  readyMs: number
}

/** A running worker, as the primary process sees it. */
export class WorkerProcess {
  readonly #worker: Worker
  readonly #handlers: Handlers
  readonly #asked = new Map<number, (values: MetricValues | null) => void>()
  #lastId = 0
  #readySince: number | undefined
  /** Its greeting, once it serves; false if it has ended before. */
  readonly ready: Promise<{ greeting: string | null } | false>
  readonly ended: Promise<Ended>
  /** Whether its end was wanted. */
  isLeaving = false

  constructor(env: Readonly<Record<string, string>>, handlers: Handlers) {
    this.#worker = cluster.fork(env)
    this.#handlers = handlers
    const ready = Promise.withResolvers<{ greeting: string | null } | false>()
    const ended = Promise.withResolvers<Ended>()
    this.ready = ready.promise
    this.ended = ended.promise
    this.#worker.on('message', (message: ToPrimary) => {
      if (message.kind === 'ready') {
        this.#readySince = performance.now()
        ready.resolve({ greeting: message.greeting })
      } else void this.#handle(message)
    })
    // A worker that could not be started at all has no exit.
    this.#worker.on('error', () => {})
    this.#worker.process.once('close', (code: number | null, signal: string | null) => {
      for (const answer of this.#asked.values()) answer(null)
      ready.resolve(false)
      ended.resolve({
        code,
        signal,
        readyMs: this.#readySince === undefined ? 0 : performance.now() - this.#readySince,
      })
      this.#readySince = undefined
    })
  }

  get pid(): number {
    return this.#worker.process.pid ?? 0
  }

  get isReady(): boolean {
    return this.#readySince !== undefined
  }

  /** Ends it after its open requests. Their responses ask the clients to close the connection. */
  retire(): void {
    this.isLeaving = true
    this.#send({ kind: 'retire' })
  }

  /** Ends it as an operator ends a service of one process. */
  stop(): void {
    this.isLeaving = true
    this.#worker.process.kill('SIGTERM')
  }

  kill(): void {
    this.#worker.process.kill('SIGKILL')
  }

  /** null if it does not answer in time. */
  async readMetrics(): Promise<MetricValues | null> {
    const id = ++this.#lastId
    const { promise, resolve } = Promise.withResolvers<MetricValues | null>()
    const timer = setTimeout(() => resolve(null), METRICS_MS)
    this.#asked.set(id, resolve)
    this.#send({ kind: 'read-metrics', id })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      this.#asked.delete(id)
    }
  }

  async #handle(message: Exclude<ToPrimary, { kind: 'ready' }>): Promise<void> {
    switch (message.kind) {
      case 'metrics':
        return this.#asked.get(message.id)?.(message.values)
      case 'read-all-metrics': {
        const text = await this.#handlers.readAllMetrics().catch(() => null)
        return this.#send({ kind: 'all-metrics', id: message.id, text })
      }
      case 'ending':
        this.#handlers.onEnding(this.pid, message.values)
        return this.#send({ kind: 'may-end' })
    }
  }

  #send(message: ToWorker): void {
    // One that is ending may be gone already.
    if (this.#worker.isConnected()) this.#worker.send(message, () => {})
  }
}
