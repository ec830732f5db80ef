import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/** Reads a gauge when it is scraped. null or a failure: the value is unknown, and nothing is shown for it. */
export type ReadGauge = () => number | null | Promise<number | null>
/** The same of a gauge with one label: a value by each of the label's values. */
export type ReadGauges = () => Record<string, number> | Promise<Record<string, number>>

/**
 * Where a part of the service says what it measures. Names are given without the prefix and follow Prometheus: base units,
 * counters end in _total, what is timed in _seconds. Whoever adds a label answers for its values being few: operations,
 * states, names from the code; never an address, a URL, or anything a client sent.
 */
export interface Metrics {
  /** Something that only goes up. */
  counter<L extends string = never>(name: string, help: string, labels?: readonly L[]): Counter<L>
  /** Durations in seconds, or sizes in bytes. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    options: { labels?: readonly L[]; buckets: readonly number[] },
  ): Histogram<L>
  /** A value that is read when somebody looks. */
  gauge(name: string, help: string, read: ReadGauge): void
  /** Values of one label, read together. */
  gauges(name: string, help: string, label: string, read: ReadGauges): void
  /** Something that only goes up and that somebody counts already, read when somebody looks; with a label, by its values. */
  totals(name: string, help: string, read: () => number): void
  totals(name: string, help: string, read: () => Record<string, number>, label: string): void
  /** Counts a look into a cache: whether what was wanted was there. */
  countLookup(cache: string, hit: boolean): void
  /** Counts a request to a node and how long it took. Nodes are not told apart: providers put keys into their URLs. */
  countRpc(source: RpcSource, method: string, outcome: RpcOutcome, seconds: number): void
  readonly contentType: string
  /** Everything, in the text format of Prometheus. */
  scrape(): Promise<string>
}

/** Who asks a node: the service itself, or the RPC proxy for a client. */
export type RpcSource = 'service' | 'proxy'
/** ok: an answer; refused: one that says no; failed: none, or none in time. */
export type RpcOutcome = 'ok' | 'refused' | 'failed'

const PREFIX = 'slipway_'

/** From a query that hits the cache to one that times out. */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** How many values one label may take. What comes after is counted as `other`: a mistake must not fill a database. */
const MAX_LABEL_VALUES = 60

/** Metrics of one process, in a registry of their own: several may live side by side. */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const prefixName = (name: string, ending: RegExp, what: string) => {
    if (!/^[a-z][a-z0-9_]*$/.test(name) || !ending.test(name)) throw new TypeError(`${name} is no name for a ${what}`)
    return PREFIX + name
  }
  const counter: Metrics['counter'] = (name, help, labels = []) =>
    new Counter({ name: prefixName(name, /_total$/, 'counter'), help, labelNames: [...labels], registers })
  const define = (name: string, help: string, labelNames: string[], collect: (gauge: Gauge) => Promise<void>) =>
    new Gauge({
      name: prefixName(name, /(?<!_total|_count|_sum|_bucket)$/, 'gauge'),
      help,
      labelNames,
      registers,
      async collect() {
        await collect(this)
      },
    })

  const histogram: Metrics['histogram'] = (name, help, { labels = [], buckets }) =>
    new Histogram({
      name: prefixName(name, /_(seconds|bytes)$/, 'histogram'),
      help,
      labelNames: [...labels],
      buckets: [...buckets],
      registers,
    })

  const lookups = counter('cache_lookups_total', 'Looks into a cache, by cache and result', ['cache', 'result'])
  const cacheName = createLabel()
  const requests = counter('rpc_requests_total', 'Requests to nodes', ['source', 'method', 'outcome'])
  const waits = histogram('rpc_request_duration_seconds', 'How long nodes took', {
    labels: ['source', 'method'],
    buckets: DURATION_BUCKETS,
  })
  const methodName = createLabel()

  return {
    counter,
    histogram,
    gauge: (name, help, read) =>
      void define(name, help, [], async (gauge) => {
        const value = await Promise.resolve()
          .then(read)
          .catch(() => null)
        if (value === null) gauge.remove()
        else gauge.set(value)
      }),
    gauges: (name, help, label, read) =>
      void define(name, help, [label], async (gauge) => {
        gauge.reset()
        const values = await Promise.resolve()
          .then(read)
          .catch(() => ({}))
        for (const [one, value] of Object.entries(values)) gauge.set({ [label]: one }, value)
      }),
    totals: (name: string, help: string, read: () => number | Record<string, number>, label?: string) =>
      void new Counter({
        name: prefixName(name, /_total$/, 'counter'),
        help,
        labelNames: label === undefined ? [] : [label],
        registers,
        collect() {
          this.reset()
          const values = read()
          if (typeof values === 'number') this.inc(values)
          else for (const [one, value] of Object.entries(values)) this.inc({ [String(label)]: one }, value)
        },
      }),
    countLookup: (cache, hit) => lookups.inc({ cache: cacheName(cache), result: hit ? 'hit' : 'miss' }),
    countRpc: (source, method, outcome, seconds) => {
      const label = methodName(method)
      requests.inc({ source, method: label, outcome })
      waits.observe({ source, method: label }, seconds)
    },
    contentType: registry.contentType,
    scrape: () => registry.metrics(),
  }
}

/** Bounds a label's values: the first ones are kept as they are. */
function createLabel(): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.size < MAX_LABEL_VALUES) known.add(value)
    return known.has(value) ? value : 'other'
  }
}
