import { getTokenChart, type Schema } from '@slipway/sdk'
import { useChart } from '@slipway/sdk/react'
import { useCallback, useMemo, useRef, useState } from 'react'
import type { Candle, Currency, Interval } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'

/** Candles of a request. */
const CANDLES = 500

interface Older {
  view: string
  /** All that were known when the last older ones came, so that they still meet the newest ones after these moved on. */
  candles: readonly Candle[]
  isComplete: boolean
}

const viewOf = ({ interval, currency }: Pick<Schema<'Chart'>, 'interval' | 'currency'>) => `${interval}-${currency}`

/** The newest candles, kept current, and those before them that `loadOlder` has loaded. */
export function useCandles(token: string, query: { interval: Interval; currency: Currency }) {
  const { data: chart, error, refetch } = useChart(token, { ...query, limit: CANDLES })
  const [older, setOlder] = useState<Older>({ view: '', candles: [], isComplete: false })
  const [isLoadingOlder, setLoading] = useState(false)
  const isBusy = useRef(false)
  const view = chart && viewOf(chart)
  const hasOlder = older.view === view

  const candles = useMemo(() => {
    const [first] = chart?.candles ?? []
    if (!chart || !first || !hasOlder) return chart?.candles
    const before = older.candles.filter(({ time }) => time < first.time)
    const last = older.candles.at(-1)
    // After hours without a load there is a gap between both.
    return last && last.time < first.time ? chart.candles : [...before, ...chart.candles]
  }, [chart, older, hasOlder])

  const isComplete = hasOlder ? older.isComplete : (chart?.candles.length ?? 0) < CANDLES
  const loadOlder = useCallback(async () => {
    const [first] = candles ?? []
    if (isBusy.current || isComplete || !chart || !candles || !first) return
    isBusy.current = true
    setLoading(true)
    try {
      const { interval, currency } = chart
      const window = { interval, currency, to: first.time - 1, limit: CANDLES }
      const page = await getTokenChart(api, { path: { address: token }, query: window })
      setOlder({
        view: viewOf(page),
        candles: [...page.candles, ...candles],
        isComplete: page.candles.length < CANDLES,
      })
    } catch {
      // Scrolling further requests them again.
    } finally {
      isBusy.current = false
      setLoading(false)
    }
  }, [token, chart, candles, isComplete])

  return { chart, candles, error, refetch, loadOlder, isLoadingOlder }
}
