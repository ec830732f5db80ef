import { createCandleHistory } from '@slipway/sdk/helpers'
import { useChart } from '@slipway/sdk/react'
import { useCallback, useMemo, useSyncExternalStore } from 'react'
import type { Currency, Interval } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'

/** Candles of a request. */
const CANDLES = 500

/** The newest candles, kept current, and those before them that `loadOlder` has loaded. */
export function useCandles(token: string, query: { interval: Interval; currency: Currency }) {
  const { data: chart, error, refetch } = useChart(token, { ...query, limit: CANDLES })
  // Until those of another choice arrive, the former candles are shown.
  const { interval, currency } = chart ?? query
  const history = useMemo(
    () => createCandleHistory(api, token, { interval, currency, limit: CANDLES }),
    [token, interval, currency],
  )
  const state = useSyncExternalStore(history.subscribe, () => history.state)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the state changes with the loaded candles
  const candles = useMemo(() => chart && history.join(chart.candles), [chart, history, state])
  const loadOlder = useCallback(async () => {
    // After a failure, scrolling further requests them again.
    if (chart) await history.loadOlder(chart.candles).catch(() => undefined)
  }, [history, chart])
  return { chart, candles, error, refetch, loadOlder, isLoadingOlder: state.isLoading }
}
