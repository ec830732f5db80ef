import { appendFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Role, ServiceProcess } from '../indexer/fixtures/service-process.ts'
import type { ProcessName } from './plan.ts'

const RESTART_MS = 1_000
const WATCH_MS = 200

interface SupervisedOptions {
  name: ProcessName
  port: number
  environment: Record<string, string>
  /** Its output is appended to this file. */
  log: string
  /** The program: the folder of server.ts. Default: that of this file. */
  program?: string | undefined
}

/** Clients choose it no more for so long before it is asked to stop, as behind a load balancer. */
const DRAIN_MS = 2_000

/** A process of the service that is started again whenever it ends, as an orchestrator does it. */
export class Supervised {
  readonly name: ProcessName
  /** The same after each start. */
  readonly url: string
  /** When it was killed, paused or went on: of performance.now(). */
  #disturbedAt = Number.NEGATIVE_INFINITY
  #isDisturbed = false
  #isOver = false
  /** The process should run: it is not killed on purpose. */
  #isWanted = false
  /** Ends of the process that nobody caused. */
  readonly ends: string[] = []
  /** Starts that failed because of a fault: the process says so, exits, and is started again. */
  failedStarts = 0
  readonly #options: SupervisedOptions
  #current: ServiceProcess
  #watching: Promise<void> | undefined
  #program: string | undefined
  #isReplaced = false

  constructor(options: SupervisedOptions) {
    this.name = options.name
    this.url = `http://127.0.0.1:${options.port}`
    this.#options = options
    this.#program = options.program
    this.#current = this.#launch()
    this.#isWanted = true
  }

  get role(): Role {
    return this.name.startsWith('api') ? 'api' : 'indexer'
  }

  get current(): ServiceProcess {
    return this.#current
  }

  /** It answers now, or would if it were not paused. */
  get isUp(): boolean {
    return !this.#isReplaced && this.#current.running && this.#current.url !== null
  }

  #launch(): ServiceProcess {
    const { environment, log, port } = this.#options
    const place = { HOST: '127.0.0.1', PORT: String(port) }
    const onOutput = (chunk: Buffer) => appendFileSync(log, chunk)
    return new ServiceProcess(this.role, { ...environment, ...place }, onOutput, this.#program)
  }

  /** Resolves when it answers for the first time, and watches it from then on. */
  async start(): Promise<void> {
    await this.#current.up()
    this.#watching = this.#watch()
  }

  async #watch(): Promise<void> {
    while (!this.#isOver) {
      await sleep(WATCH_MS)
      if (!this.#isWanted || this.#current.running || this.#isOver) continue
      const { output } = this.#current
      if (/Could not start/.test(output)) this.failedStarts++
      else this.ends.push(`${this.name} ended by itself: ${output.slice(-600)}`)
      this.#markDisturbed()
      await sleep(RESTART_MS)
      if (this.#isWanted && !this.#isOver) this.#current = this.#launch()
    }
  }

  /** A request that began at this time may stay without a response. */
  wasDisturbedSince(began: number): boolean {
    // One that is replaced finishes its requests.
    return !this.#isReplaced && (this.#isDisturbed || this.#disturbedAt >= began || !this.isUp)
  }

  #markDisturbed(): void {
    this.#disturbedAt = performance.now()
  }

  async killFor(ms: number): Promise<void> {
    this.#isWanted = false
    this.#isDisturbed = true
    this.#markDisturbed()
    await this.#current.kill()
    await sleep(ms)
    if (this.#isOver) return
    this.#current = this.#launch()
    this.#isWanted = true
    this.#isDisturbed = false
    this.#markDisturbed()
  }

  async pauseFor(ms: number): Promise<void> {
    this.#isDisturbed = true
    this.#markDisturbed()
    this.#current.stop()
    await sleep(ms)
    this.#current.continue()
    this.#isDisturbed = false
    this.#markDisturbed()
  }

  /** Stops it as an operator does, and starts another version in its place. Rejects if it does not start. */
  async replace(program: string | undefined): Promise<void> {
    this.#isReplaced = true
    await sleep(DRAIN_MS)
    this.#isWanted = false
    await this.#current.terminate()
    this.#program = program
    this.#current = this.#launch()
    await this.#current.up()
    this.#isWanted = true
    this.#isReplaced = false
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#current.kill()
    await this.#watching
  }
}
