import type { MetricValues } from '../telemetry/create-metrics.ts'

/** What the primary process sends to a worker. */
export type ToWorker =
  /** Another worker has taken its place: complete the open requests and end. */
  | { kind: 'retire' }
  | { kind: 'read-metrics'; id: number }
  /** The metrics of all processes; null if they could not be read. */
  | { kind: 'all-metrics'; id: number; text: string | null }
  /** What it has sent has arrived: the worker may end. */
  | { kind: 'may-end' }

/** What a worker sends to the primary process. */
export type ToPrimary =
  /** It serves requests. `greeting` is for the terminal; null if there is nothing to say. */
  | { kind: 'ready'; greeting: string | null }
  | { kind: 'metrics'; id: number; values: MetricValues }
  | { kind: 'read-all-metrics'; id: number }
  /** It has closed everything. The counters of its life are kept. */
  | { kind: 'ending'; values: MetricValues }
