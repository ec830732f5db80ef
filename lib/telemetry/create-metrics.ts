import { Counter, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import { aggregationOf } from './across-processes.ts'
import type { Distribution } from './distribution.ts'

/** Reads a gauge on each scrape. null or an error omits the sample. */
export type ReadGauge = () => number | null | Promise<number | null>
/** The same for a gauge with one label: values by label value. */
export type ReadGauges = () => Record<string, number> | Promise<Record<string, number>>

/**
 * Registry of metrics. Names come without the prefix and follow Prometheus: base units, _total for counters, _seconds for
 * durations. Labels must have few values (operations, states, names in the code), never addresses, URLs or client input.
 */
export interface Metrics {
  /** A monotonic counter. */
  counter<L extends string = never>(name: string, help: string, labels?: readonly L[]): Counter<L>
  /** A histogram of durations in seconds or sizes in bytes. */
  histogram<L extends string = never>(
    name: string,
    help: string,
    options: { labels?: readonly L[]; buckets: readonly number[] },
  ): Histogram<L>
  /** A gauge that is read on each scrape. */
  gauge(name: string, help: string, read: ReadGauge): void
  /** A gauge with one label, whose values are read together. */
  gauges(name: string, help: string, label: string, read: ReadGauges): void
  /** A counter that is kept elsewhere and read on each scrape, optionally with one label. */
  totals(name: string, help: string, read: () => number): void
  totals(name: string, help: string, read: () => Record<string, number>, label: string): void
  /** The same with several labels, whose samples are summed if they are equal. */
  totalsByLabels<L extends string>(
    name: string,
    help: string,
    labels: readonly L[],
    read: () => Iterable<Sample<L>>,
  ): void
  /** A histogram with one label that is kept elsewhere and read on each scrape: distributions by label value. */
  distributions(name: string, help: string, label: string, read: () => ReadonlyMap<string, Distribution>): void
  /** Counts a cache hit or miss. */
  countLookup(cache: string, hit: boolean): void
  /** Counts a node request and its duration. Not labelled by node: provider URLs contain API keys. */
  countRpc(source: RpcSource, method: string, outcome: RpcOutcome, seconds: number): void
  readonly contentType: string
  /** All metrics as data, which the processes of one service add up. */
  read(): Promise<MetricValues>
  /** All metrics in Prometheus text format. */
  scrape(): Promise<string>
}

export type MetricValues = Awaited<ReturnType<Registry['getMetricsAsJSON']>>

export interface Sample<L extends string> {
  labels: Record<L, string>
  value: number
}

/** Origin of a node request: the service itself, or a client through the RPC proxy. */
export type RpcSource = 'service' | 'proxy'
/** ok: a result; refused: an error response; failed: no response, or none in time. */
export type RpcOutcome = 'ok' | 'refused' | 'failed'

const PREFIX = 'slipway_'

/** Bounds in seconds: the shortest is a cache hit, the longest a timeout. */
export const DURATION_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** Maximum number of values of a label. Further values count as `other`, which bounds the cardinality. */
const MAX_LABEL_VALUES = 60

/** Metrics of one process. Each call has its own registry, so that several can coexist. */
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
      aggregator: aggregationOf(name),
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

  const readTotals = (name: string, help: string, labelNames: string[], read: () => Iterable<Sample<string>>) =>
    void new Counter({
      name: prefixName(name, /_total$/, 'counter'),
      help,
      labelNames,
      registers,
      collect() {
        this.reset()
        for (const { labels, value } of read()) this.inc(labels, value)
      },
    })

  const lookups = counter('cache_lookups_total', 'Cache lookups, by cache and result', ['cache', 'result'])
  const cacheName = createLabel()
  const requests = counter('rpc_requests_total', 'Requests to nodes', ['source', 'method', 'outcome'])
  const waits = histogram('rpc_request_duration_seconds', 'Duration of requests to nodes', {
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
      readTotals(name, help, label === undefined ? [] : [label], () => {
        const values = read()
        if (typeof values === 'number') return [{ labels: {}, value: values }]
        return Object.entries(values).map(([one, value]) => ({ labels: { [String(label)]: one }, value }))
      }),
    totalsByLabels: (name, help, labels, read) => readTotals(name, help, [...labels], read),
    distributions: (given, help, label, read) => {
      const name = prefixName(given, /_(seconds|bytes)$/, 'histogram')
      const get = async () => ({
        name,
        help,
        type: 'histogram',
        aggregator: 'sum',
        values: [...read()].flatMap(([value, distribution]) => distribution.toSamples(name, { [label]: value })),
      })
      // All that a registry uses of a metric.
      registry.registerMetric({ name, get } as unknown as Metric)
    },
    countLookup: (cache, hit) => lookups.inc({ cache: cacheName(cache), result: hit ? 'hit' : 'miss' }),
    countRpc: (source, method, outcome, seconds) => {
      const label = methodName(method)
      requests.inc({ source, method: label, outcome })
      waits.observe({ source, method: label }, seconds)
    },
    contentType: registry.contentType,
    read: () => registry.getMetricsAsJSON(),
    scrape: () => registry.metrics(),
  }
}

/** Returns a function that maps values beyond MAX_LABEL_VALUES to `other`. */
function createLabel(): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.size < MAX_LABEL_VALUES) known.add(value)
    return known.has(value) ? value : 'other'
  }
}
