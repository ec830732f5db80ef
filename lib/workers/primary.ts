import cluster from 'node:cluster'
import { MetricsOfAll } from './metrics-of-all.ts'
import { PACE, type PaceOptions, RestartPace } from './restart-pace.ts'
import { WorkerProcess } from './worker-process.ts'

/** A place that one process fills at a time. */
export interface Place {
  /** In the log. */
  name: string
  /** The variables of its process, beside those of the primary. */
  env: Readonly<Record<string, string>>
  /** Whether it serves requests. */
  serves: boolean
}

export interface PrimaryOptions {
  /** The program of every worker. */
  exec: string
  places: readonly Place[]
  log: {
    info(fields: object, message: string): void
    error(fields: object, message: string): void
    fatal(fields: object, message: string): void
  }
  /** Workers end themselves in this time; one that does not is killed. */
  stopMs: number
  /** Workers that retire take at most so much longer, because they wait for their clients. */
  retireMs: number
  pace?: PaceOptions
}

interface Filled extends Place {
  pace: RestartPace
  current: WorkerProcess | undefined
  /** The timer of a replacement that is due. */
  timer: NodeJS.Timeout | undefined
  isReloading: boolean
}

/** What a killed worker may exceed its own limit by. */
const SPARE_MS = 1_000

/**
 * The primary process of a service whose requests are served by several processes on one port. It only starts, replaces and ends
 * them, and adds up their metrics.
 */
export class Primary {
  readonly #options: PrimaryOptions
  readonly #places: Filled[]
  readonly #metrics = new MetricsOfAll()
  readonly #processes = new Set<WorkerProcess>()
  readonly #ended = Promise.withResolvers<number>()
  #scrape: Promise<string> | undefined
  #isStopping = false
  #reload: Promise<void> | undefined
  #isReloadWanted = false

  constructor(options: PrimaryOptions) {
    this.#options = options
    const pace = options.pace ?? PACE
    this.#places = options.places.map((place) => ({
      ...place,
      pace: new RestartPace(pace),
      current: undefined,
      timer: undefined,
      isReloading: false,
    }))
    // Workers accept from a socket that they share. A connection that this process accepted for a worker would stay open, and hang,
    // if the worker was killed before it took it.
    cluster.schedulingPolicy = cluster.SCHED_NONE
    cluster.setupPrimary({ exec: options.exec })
  }

  /** Resolves to the exit code of the service when all workers have ended. */
  get ended(): Promise<number> {
    return this.#ended.promise
  }

  /**
   * Resolves to the greeting of a worker when all are ready; to false if one has ended before, whose message is printed. The first
   * one starts alone: what it cannot start with, the others cannot either.
   */
  async start(): Promise<{ greeting: string | null } | false> {
    const [first, ...others] = this.#places as [Filled, ...Filled[]]
    const open = async (place: Filled) => {
      place.current = this.#fork(place)
      return place.current.ready
    }
    const greetings = [await open(first)]
    if (greetings[0]) greetings.push(...(await Promise.all(others.map(open))))
    if (greetings.includes(false)) {
      await this.stop()
      return false
    }
    for (const place of this.#places) this.#watch(place, place.current as WorkerProcess)
    return greetings.find((one) => one && one.greeting !== null) || { greeting: null }
  }

  /** Replaces the workers one by one. During a reload, another one begins after it. */
  reload(): Promise<void> {
    this.#isReloadWanted = true
    this.#reload ??= this.#reloadWhileWanted().finally(() => {
      this.#reload = undefined
    })
    return this.#reload
  }

  /** Ends all workers in order. */
  stop(): Promise<number> {
    this.#endAll((codes) => (codes.every((code) => code === 0) ? 0 : 1))
    return this.ended
  }

  /** Ends all workers at once. */
  kill(): void {
    for (const process of this.#processes) process.kill()
  }

  #endAll(toExitCode: (codes: readonly (number | null)[]) => number): void {
    if (this.#isStopping) return
    this.#isStopping = true
    for (const { timer } of this.#places) clearTimeout(timer)
    setTimeout(() => this.kill(), this.#options.stopMs + SPARE_MS).unref()
    const end = async (process: WorkerProcess) => {
      // One that is still starting cannot end in order.
      const { isReady } = process
      process.stop()
      const { code } = await process.ended
      return isReady ? code : 0
    }
    this.#ended.resolve(Promise.all([...this.#processes].map(end)).then(toExitCode))
  }

  #fork(place: Filled): WorkerProcess {
    const process = new WorkerProcess(place.env, {
      readAllMetrics: () => this.#readAllMetrics(),
      onEnding: (pid, values) => this.#metrics.set(pid, values),
    })
    this.#processes.add(process)
    void process.ended.then(() => {
      this.#processes.delete(process)
      this.#metrics.end(process.pid)
    })
    return process
  }

  /** Replaces the process of a place when it ends by itself. */
  #watch(place: Filled, process: WorkerProcess): void {
    void process.ended.then(({ code, signal, readyMs }) => {
      if (this.#isStopping || process.isLeaving || place.current !== process) return
      place.current = undefined
      const fields = { worker: process.pid, place: place.name, code, signal }
      const pauseMs = place.pace.fail(readyMs)
      if (place.pace.isHopeless && !this.#serves()) {
        this.#options.log.fatal(fields, 'Workers end again and again, and none serves requests: the service ends')
        return this.#endAll(() => 1)
      }
      this.#options.log.error({ ...fields, pauseMs }, 'A worker has ended; another one replaces it after a pause')
      this.#refillLater(place, pauseMs)
    })
  }

  #serves(): boolean {
    return this.#places.some(({ serves, current }) => serves && current?.isReady === true)
  }

  #refillLater(place: Filled, pauseMs: number): void {
    if (place.isReloading) return
    place.timer = setTimeout(async () => {
      const process = this.#fork(place)
      place.current = process
      this.#watch(place, process)
      if (await process.ready)
        this.#options.log.info({ worker: process.pid, place: place.name }, 'A worker is ready in place of another')
    }, pauseMs)
  }

  async #reloadWhileWanted(): Promise<void> {
    while (this.#isReloadWanted && !this.#isStopping) {
      this.#isReloadWanted = false
      this.#options.log.info({}, 'Reloading: each worker is replaced by a new one')
      let isComplete = true
      for (const place of this.#places) isComplete &&= await this.#replace(place)
      if (isComplete) this.#options.log.info({}, 'Reloaded')
    }
  }

  /** Returns whether a new process has taken the place. */
  async #replace(place: Filled): Promise<boolean> {
    if (this.#isStopping) return false
    clearTimeout(place.timer)
    place.isReloading = true
    const fresh = this.#fork(place)
    const isReady = await fresh.ready
    place.isReloading = false
    if (this.#isStopping) return false
    if (isReady === false) {
      const { code, signal } = await fresh.ended
      const fields = { worker: fresh.pid, place: place.name, code, signal }
      this.#options.log.error(
        fields,
        'The reload ends: a new worker did not start, for the reason logged before. The former ones go on; send SIGHUP ' +
          'again when it is corrected',
      )
      if (place.current === undefined) this.#refillLater(place, 0)
      return false
    }
    const former = place.current
    place.current = fresh
    this.#watch(place, fresh)
    if (former === undefined) return true
    former.retire()
    const timer = setTimeout(() => former.kill(), this.#options.retireMs + this.#options.stopMs + SPARE_MS)
    await former.ended
    clearTimeout(timer)
    return true
  }

  #readAllMetrics(): Promise<string> {
    this.#scrape ??= this.#collect().finally(() => {
      this.#scrape = undefined
    })
    return this.#scrape
  }

  async #collect(): Promise<string> {
    const ready = [...this.#processes].filter(({ isReady }) => isReady)
    const read = async (process: WorkerProcess) => {
      const values = await process.readMetrics()
      // One that does not answer counts as when it did, so that no sum falls.
      if (values !== null && process.isReady) this.#metrics.set(process.pid, values)
    }
    await Promise.all(ready.map(read))
    return this.#metrics.toText()
  }
}
