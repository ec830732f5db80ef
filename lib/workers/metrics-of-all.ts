import { AggregatorRegistry } from 'prom-client'
import type { MetricValues } from '../telemetry/create-metrics.ts'

/**
 * The metrics of several processes as those of one. Counters and histograms of processes that have ended stay in the sums: a sum
 * that falls would look like a restart of all of them.
 */
export class MetricsOfAll {
  /** The values of each process, as they were last read. */
  readonly #values = new Map<number, MetricValues>()
  /** The values of processes that have ended, which are soon added up to one entry. */
  #ended: readonly MetricValues[] = []
  #adding: Promise<void> = Promise.resolve()

  set(pid: number, values: MetricValues): void {
    this.#values.set(pid, values)
  }

  /** Keeps what a process has counted until it was last read. */
  end(pid: number): void {
    const last = this.#values.get(pid)
    if (!this.#values.delete(pid) || !last) return
    this.#ended = [...this.#ended, last.filter(({ type }) => String(type) !== 'gauge')]
    this.#adding = this.#adding.then(() => this.#addUp())
  }

  /** In the text format of Prometheus. */
  toText(): Promise<string> {
    return AggregatorRegistry.aggregate([...this.#ended, ...this.#values.values()]).metrics()
  }

  async #addUp(): Promise<void> {
    const parts = this.#ended
    const sum = await AggregatorRegistry.aggregate([...parts]).getMetricsAsJSON()
    // Others may have been appended meanwhile.
    this.#ended = [sum, ...this.#ended.slice(parts.length)]
  }
}
