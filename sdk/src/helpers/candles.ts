import type { Client } from '../client.ts'
import { getTokenChart } from '../operations.ts'
import type { CallOptions, Query, Schema } from '../types.ts'

export type Candle = Schema<'Chart'>['candles'][number]

export interface CandleOptions {
  interval?: Schema<'Chart'>['interval']
  currency?: Schema<'Chart'>['currency']
  /** Candles of a request; 500 by default. */
  limit?: number
}

const DEFAULT_LIMIT = 500

/**
 * Iterates over the pages of a chart, from the newest to the launch. The candles of a page are in ascending order:
 * `for await (const candles of iterateCandles(client, token, { interval: '1h' })) all.unshift(...candles)`.
 */
export async function* iterateCandles(
  client: Client,
  token: string,
  { limit = DEFAULT_LIMIT, to, ...query }: CandleOptions & { to?: number } = {},
  options?: CallOptions,
): AsyncGenerator<Candle[], void, undefined> {
  for (let until = to; ; ) {
    const window: Query<'getTokenChart'> = { ...query, limit, ...(until !== undefined && { to: until }) }
    const { candles } = await getTokenChart(client, { ...options, path: { address: token }, query: window })
    const [first] = candles
    if (first) yield candles
    if (!first || candles.length < limit) return
    until = first.time - 1
  }
}

export interface CandleHistory {
  /** The newest candles, with the older ones that were loaded before them. */
  join(newest: readonly Candle[]): readonly Candle[]
  /** Loads the page before `join(newest)`. Resolves to whether it has loaded any; a call while one runs does nothing. */
  loadOlder(newest: readonly Candle[]): Promise<boolean>
  /** Changes whenever `isLoading` or the loaded candles do, so that React compares it. */
  readonly state: { readonly isLoading: boolean; readonly isComplete: boolean }
  subscribe(listen: () => void): () => void
}

/** The candles before those that a chart keeps current, for a chart that is scrolled back. */
export function createCandleHistory(
  client: Client,
  token: string,
  { limit = DEFAULT_LIMIT, ...query }: CandleOptions = {},
): CandleHistory {
  /** All that were known when the last older ones came, so that they still meet the newest ones after these moved on. */
  let loaded: readonly Candle[] = []
  let state = { isLoading: false, isComplete: false }
  const listeners = new Set<() => void>()
  const setState = (next: typeof state) => {
    state = next
    for (const listen of [...listeners]) listen()
  }

  const join: CandleHistory['join'] = (newest) => {
    const [first] = newest
    const last = loaded.at(-1)
    // After hours without a load there is a gap between both.
    if (!first || !last || last.time < first.time) return newest
    return [...loaded.filter(({ time }) => time < first.time), ...newest]
  }

  return {
    join,
    loadOlder: async (newest) => {
      const candles = join(newest)
      const [first] = candles
      const isComplete = candles === newest ? newest.length < limit : state.isComplete
      if (!first || state.isLoading || isComplete) return false
      setState({ ...state, isLoading: true })
      const window = { ...query, limit, to: first.time - 1 }
      try {
        const page = await getTokenChart(client, { path: { address: token }, query: window })
        loaded = [...page.candles, ...candles]
        setState({ isLoading: false, isComplete: page.candles.length < limit })
        return page.candles.length > 0
      } catch (error) {
        setState({ ...state, isLoading: false })
        throw error
      }
    },
    get state() {
      return state
    },
    subscribe: (listen) => {
      listeners.add(listen)
      return () => listeners.delete(listen)
    },
  }
}
