/** Counts values by bucket, for hot paths: prom-client's histogram validates and joins labels with each value. */
export class Distribution {
  /** Upper bounds of the buckets, ascending; a value above the last is in none. */
  readonly #bounds: readonly number[]
  readonly #counts: number[]
  #count = 0
  #sum = 0

  constructor(bounds: readonly number[]) {
    this.#bounds = bounds
    this.#counts = bounds.map(() => 0)
  }

  add(value: number): void {
    const at = this.#bounds.findIndex((bound) => value <= bound)
    if (at >= 0) this.#counts[at]! += 1
    this.#count += 1
    this.#sum += value
  }

  /** The samples of a Prometheus histogram. */
  toSamples(name: string, labels: Readonly<Record<string, string>>) {
    let total = 0
    const buckets = this.#bounds.map((bound, at) => {
      total += this.#counts[at]!
      return { metricName: `${name}_bucket`, labels: { le: bound, ...labels }, value: total }
    })
    return [
      ...buckets,
      { metricName: `${name}_bucket`, labels: { le: '+Inf', ...labels }, value: this.#count },
      { metricName: `${name}_sum`, labels, value: this.#sum },
      { metricName: `${name}_count`, labels, value: this.#count },
    ]
  }
}
