import { Worker } from 'node:worker_threads'
import { countBuffersAsHeap } from '../../lib/memory/garbage-collection.ts'
import type { PackedLogs } from './log-reader.ts'
import type { FromWorker, ToWorker } from './log-worker.ts'
import type { LogResponse, RequestLogs } from './request-logs.ts'

/** Longer than the pauses of a backfill. A process that only follows the head needs no worker thread. */
const IDLE_MS = 10_000

interface Pending {
  answered: PromiseWithResolvers<LogResponse>
  body: PromiseWithResolvers<PackedLogs | string>
}

/**
 * Fetches and parses logs in a worker thread, while the main thread applies earlier ones. The thread starts on demand, stops
 * when idle, and does not keep the process alive. A crash rejects pending requests as network errors, which callers retry; the
 * next request starts another thread.
 */
export class LogThread {
  readonly #onCrash: (error: Error) => void
  readonly #idleMs: number
  readonly #pending = new Map<number, Pending>()
  #worker: Worker | undefined
  #idle: NodeJS.Timeout | undefined
  #lastId = 0

  constructor(onCrash: (error: Error) => void, idleMs = IDLE_MS) {
    this.#onCrash = onCrash
    this.#idleMs = idleMs
  }

  get isRunning(): boolean {
    return this.#worker !== undefined
  }

  /** Starts the thread, which takes a tenth of a second, before its first request. */
  prepare(): void {
    if (this.#worker) return
    this.#worker = this.#start()
    this.#scheduleTermination()
  }

  readonly request: RequestLogs = (asked, signal) => {
    const id = ++this.#lastId
    this.#worker ??= this.#start()
    const worker = this.#worker
    const send = (message: ToWorker) => worker.postMessage(message)
    const pending: Pending = { answered: Promise.withResolvers(), body: Promise.withResolvers() }
    // The caller may have abandoned the response before its body fails.
    pending.body.promise.catch(() => {})
    this.#pending.set(id, pending)
    clearTimeout(this.#idle)
    worker.ref()
    send({ id, asked })
    const abort = () => {
      send({ id, aborted: true })
      this.#receive({ id, error: signal?.reason })
    }
    signal?.addEventListener('abort', abort, { once: true })
    return pending.answered.promise
  }

  #start(): Worker {
    countBuffersAsHeap()
    // Not the parent's execArgv: profilers and test runners preload modules with it.
    const worker = new Worker(new URL('./log-worker.ts', import.meta.url), { name: 'logs', execArgv: [] })
    let failure: Error | undefined
    worker.on('message', (message: FromWorker) => this.#receive(message))
    worker.on('error', (error: Error) => {
      failure = error
    })
    worker.on('exit', (code) => this.#onExit(worker, failure ?? new Error(`It ended with code ${code}`)))
    return worker
  }

  #receive(message: FromWorker): void {
    const pending = this.#pending.get(message.id)
    if (!pending) return
    if ('status' in message) {
      const { status, headers } = message
      pending.answered.resolve({ status, headers, body: pending.body.promise })
      return
    }
    this.#pending.delete(message.id)
    if ('error' in message) {
      pending.answered.reject(message.error)
      pending.body.reject(message.error)
    } else pending.body.resolve(withBuffer(message.body))
    if (this.#pending.size === 0) this.#scheduleTermination()
  }

  #scheduleTermination(): void {
    clearTimeout(this.#idle)
    const worker = this.#worker
    worker?.unref()
    this.#idle = setTimeout(() => {
      this.#worker = undefined
      void worker?.terminate()
    }, this.#idleMs).unref()
  }

  #onExit(worker: Worker, error: Error): void {
    if (this.#worker !== worker) return
    this.#worker = undefined
    const broken = new Error('The worker thread that reads logs crashed', { cause: error })
    for (const { answered, body } of this.#pending.values()) {
      answered.reject(broken)
      body.reject(broken)
    }
    this.#pending.clear()
    this.#onCrash(broken)
  }
}

/** Structured clone turns a Buffer into a Uint8Array. */
function withBuffer(body: PackedLogs | string): PackedLogs | string {
  if (typeof body === 'string') return body
  const { buffer, byteOffset, length } = body.bytes
  return { ...body, bytes: Buffer.from(buffer, byteOffset, length) }
}
