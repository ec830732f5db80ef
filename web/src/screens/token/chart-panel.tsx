import { formatChange, formatPrice } from '@slipway/sdk/helpers'
import { useTrades } from '@slipway/sdk/react'
import { Suspense, useState } from 'react'
import { Failure, Skeleton } from '../../components/states.tsx'
import { Choice } from '../../components/tabs.tsx'
import { isNative } from '../../data/config.tsx'
import { type Currency, INTERVALS, type Token } from '../../data/tokens.ts'
import { useUrlChoice } from '../../data/url-state.ts'
import { useIsFinal } from '../../data/use-is-final.ts'
import { lazyComponent } from '../../lib/lazy-component.tsx'
import { formatTime } from '../../lib/time.ts'
import { useSession } from '../../wallet/session.tsx'
import { AlertDialog, type AlertStart } from './alert-dialog.tsx'
import { toAlertStart, useAlertPrices } from './chart-alerts.ts'
import { countTrades, useEntry, useOwnTrades } from './own-trades.ts'
import { useCandles } from './use-candles.ts'

/** The chart library is loaded with the first chart. */
const PriceChart = lazyComponent(() => import('./price-chart.tsx').then(({ PriceChart }) => PriceChart))

const intervals = INTERVALS.map((id) => ({ id, label: id }))

export function ChartPanel({ token }: { token: Token }) {
  const { symbol: coin, decimals } = token.quote
  // Live candles of a token in native coin are in that currency.
  const coinCurrency: Currency = isNative(token.quote) ? 'native' : 'quote'
  const currencies: { id: Currency; label: string }[] = [
    { id: 'usd', label: 'USD' },
    { id: coinCurrency, label: coin },
    { id: 'marketCapUsd', label: 'Market cap' },
  ]
  const [interval, setInterval] = useUrlChoice('interval', intervals, '15m')
  const [currency, setCurrency] = useUrlChoice('currency', currencies, token.priceUsd === null ? coinCurrency : 'usd')
  const { chart, candles, error, refetch, loadOlder, isLoadingOlder } = useCandles(token.address, {
    interval,
    currency,
  })
  // Until those of another choice arrive, the former candles are shown.
  const shown = chart ?? { interval, currency }
  const ownTrades = useOwnTrades(token, candles)
  const entry = useEntry(token, shown.currency)
  const alerts = useAlertPrices(token, shown.currency)
  const { wallet, setConnecting } = useSession()
  const [start, setStart] = useState<AlertStart | null>(null)
  const { items: trades } = useTrades(token.address, { limit: 50 })
  const current = trades.filter(({ retracted }) => !retracted)
  const isFinal = useIsFinal(current)
  const open = current.filter((trade) => !isFinal(trade))
  const unconfirmedFrom =
    open.length === 0 ? null : Math.min(...open.map(({ timestamp }) => Date.parse(timestamp) / 1_000))
  const graduatedAt = token.graduatedAt ? Date.parse(token.graduatedAt) / 1_000 : null
  const last = candles?.at(-1)?.close
  const pick = (price: number) => {
    if (!wallet) setConnecting(true)
    else if (last) setStart(toAlertStart(token, shown.currency, price, last))
  }
  const unit = shown.currency === coinCurrency ? coin : 'US dollars'
  const kind = shown.currency === 'marketCapUsd' ? 'Market cap' : 'Price'
  const traded = countTrades(ownTrades)
  const [first] = candles ?? []
  const since = first ? ` since ${formatTime(new Date(first.time * 1_000).toISOString())}` : ''
  const label = `${kind} chart of ${token.symbol} in ${unit}, ${shown.interval} candles${since}. Last ${kind.toLowerCase()} ${formatPrice(last)}, ${formatChange(token.priceChangePct.h24)} in 24 hours in ${coin}.${traded && ` Your trades: ${traded}.`}${entry === null ? '' : ` Your average entry ${formatPrice(entry)}.`}${alerts.length > 0 ? ` Your alerts: ${alerts.map(formatPrice).join(', ')}.` : ''}`
  return (
    <section aria-label="Chart" className="panel min-w-0">
      <div className="flex flex-wrap items-center justify-between gap-2 border-b border-line px-3 py-2">
        <Choice label="Interval" options={intervals} selected={interval} onSelect={setInterval} />
        <Choice label="Currency" options={currencies} selected={currency} onSelect={setCurrency} />
      </div>
      <div className="h-72 p-1 sm:h-[25rem]">
        {!chart && error && <Failure error={error} retry={() => void refetch()} />}
        {!chart && !error && <Skeleton className="h-full" />}
        {chart && candles && (
          <Suspense fallback={<Skeleton className="h-full" />}>
            <PriceChart
              candles={candles}
              currency={shown.currency}
              quoteDecimals={decimals}
              view={`${chart.interval}-${chart.currency}`}
              label={label}
              unconfirmedFrom={unconfirmedFrom}
              graduatedAt={graduatedAt}
              ownTrades={ownTrades}
              entry={entry}
              alerts={alerts}
              onPick={pick}
              onReachStart={loadOlder}
            />
          </Suspense>
        )}
      </div>
      <p className="border-t border-line px-3 py-1.5 text-2xs text-faint">
        {isLoadingOlder && 'Loading older candles… '}
        {unconfirmedFrom === null
          ? 'All shown trades are final.'
          : 'Faint candles contain trades that are not final yet.'}
        {traded && ` B and S mark your trades: ${traded}.`}
        {entry !== null && ' The dashed line “Entry” is your average entry.'} Double-click or double-tap a price to set
        an alert.
      </p>
      <AlertDialog token={token} isOpen={start !== null} onClose={() => setStart(null)} start={start ?? undefined} />
    </section>
  )
}
