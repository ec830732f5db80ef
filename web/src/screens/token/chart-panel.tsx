import { useChart, useTrades } from '@slipway/sdk/react'
import { lazy, Suspense, useMemo, useState } from 'react'
import { Failure, Skeleton } from '../../components/states.tsx'
import { Choice } from '../../components/tabs.tsx'
import { useCoin } from '../../data/config.tsx'
import { type Currency, INTERVALS, type Interval, type Token } from '../../data/tokens.ts'
import { formatChange, formatPrice } from '../../lib/amounts.ts'

/** The chart library is loaded with the first chart. */
const PriceChart = lazy(() => import('./price-chart.tsx').then(({ PriceChart }) => ({ default: PriceChart })))

const CANDLES = 500
const intervals = INTERVALS.map((id) => ({ id, label: id }))

export function ChartPanel({ token }: { token: Token }) {
  const { symbol: coin, decimals: coinDecimals } = useCoin()
  const [interval, setInterval] = useState<Interval>('15m')
  const [chosen, setCurrency] = useState<Currency | null>(null)
  const currency = chosen ?? (token.priceUsd === null ? 'native' : 'usd')
  const { data: chart, error, refetch } = useChart(token.address, { interval, currency, limit: CANDLES })
  const { items: trades } = useTrades(token.address, { limit: 50 })
  const unconfirmedFrom = useMemo(() => {
    const open = trades.filter(({ confirmed, retracted }) => !confirmed && !retracted)
    return open.length === 0 ? null : Math.min(...open.map(({ timestamp }) => Date.parse(timestamp) / 1_000))
  }, [trades])
  const graduatedAt = token.graduatedAt ? Date.parse(token.graduatedAt) / 1_000 : null
  const last = chart?.candles.at(-1)?.close
  const unit = currency === 'usd' ? 'US dollars' : coin
  const label = `Price chart of ${token.symbol} in ${unit}, ${interval} candles. Last price ${formatPrice(last)}, ${formatChange(token.priceChangePct.h24)} in 24 hours.`
  return (
    <section aria-label="Chart" className="panel min-w-0">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-3 py-2">
        <Choice label="Interval" options={intervals} selected={interval} onSelect={setInterval} />
        <Choice
          label="Currency"
          options={[
            { id: 'usd', label: 'USD' },
            { id: 'native', label: coin },
          ]}
          selected={currency}
          onSelect={setCurrency}
        />
      </div>
      <div className="h-72 p-1 sm:h-[25rem]">
        {!chart && error && <Failure error={error} retry={() => void refetch()} />}
        {!chart && !error && <Skeleton className="h-full" />}
        {chart && (
          <Suspense fallback={<Skeleton className="h-full" />}>
            <PriceChart
              candles={chart.candles}
              currency={currency}
              coinDecimals={coinDecimals}
              view={`${chart.interval}-${chart.currency}`}
              label={label}
              unconfirmedFrom={unconfirmedFrom}
              graduatedAt={graduatedAt}
            />
          </Suspense>
        )}
      </div>
      <p className="border-t border-line px-3 py-1.5 text-2xs text-faint">
        {unconfirmedFrom === null
          ? 'All shown trades are final.'
          : 'Faint candles contain trades that are not final yet.'}
      </p>
    </section>
  )
}
