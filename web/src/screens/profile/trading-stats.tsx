import type { Schema } from '@slipway/sdk'
import { formatCount, formatDuration, formatPercent, formatUsd } from '@slipway/sdk/helpers'
import { useOperation } from '@slipway/sdk/react'
import { Stat } from '../../components/figures.tsx'
import { QueryState, Skeleton } from '../../components/states.tsx'
import { Choice } from '../../components/tabs.tsx'
import { useCoin } from '../../data/config.tsx'
import { MARKET_EVENTS } from '../../data/market-events.ts'
import { useUrlChoice } from '../../data/url-state.ts'
import { api } from '../../lib/api.ts'
import { Profit } from '../portfolio/profit.tsx'
import { ProfitByDay } from './profit-by-day.tsx'

const PERIODS = [
  { id: '24h', label: '24h' },
  { id: '7d', label: '7d' },
  { id: '30d', label: '30d' },
  { id: 'all', label: 'All time' },
] as const

/** How a wallet trades: profit, win rate and how long it holds. */
export function TradingStats({ wallet }: { wallet: string }) {
  const coin = useCoin()
  const [period, setPeriod] = useUrlChoice('period', PERIODS, '30d')
  const query = useOperation(api.wallets.stats.with(wallet, { period }), { ...MARKET_EVENTS, keepPrevious: true })
  return (
    <section aria-labelledby="trading" className="panel p-4">
      <div className="mb-3 flex flex-wrap items-center justify-between gap-2">
        <h2 id="trading" className="font-bold">
          Trading
        </h2>
        <Choice label="Period" options={PERIODS} selected={period} onSelect={setPeriod} />
      </div>
      <QueryState query={query} loading={<Skeleton className="h-10" />}>
        {({ realizedPnl, unrealizedPnl, winRatePct, trades, volumeUsd, volumeNative, medianHoldSeconds, ...byDay }) => (
          <>
            <dl className="grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-3 lg:grid-cols-6">
              <Stat label="Realized P&L">
                <Profit profit={realizedPnl} />
              </Stat>
              <Stat label="Unrealized now">
                <Profit profit={unrealizedPnl} />
              </Stat>
              <Stat label="Win rate" title="Share of sales with a profit">
                {formatPercent(winRatePct)}
              </Stat>
              <Stat label="Trades">{formatCount(trades)}</Stat>
              <Stat label="Volume">{volumeUsd === null ? coin.format(volumeNative) : formatUsd(volumeUsd)}</Stat>
              <Stat label="Median hold" title="Time between the last purchase of a token and a sale of it">
                {medianHoldSeconds === null ? '–' : formatHold(medianHoldSeconds)}
              </Stat>
            </dl>
            <ProfitByDay
              name="Realized P&L"
              days={byDay.days.map(({ date, realizedPnl: profit }) => ({ date, profit }))}
            />
            <ProfitByDay name="Unrealized P&L" days={listUnrealized(byDay.unrealizedByDay)} />
          </>
        )}
      </QueryState>
    </section>
  )
}

/** The days whose profit is known in the currency of the last one; none if the wallet held nothing on any. */
function listUnrealized(days: Schema<'WalletStats'>['unrealizedByDay']) {
  const hasUsd = days.at(-1)?.usd !== null
  const known = days.flatMap(({ date, native, usd }) =>
    native === null || (usd !== null) !== hasUsd ? [] : [{ date, profit: { native, usd } }],
  )
  return known.some(({ profit: { native } }) => native !== '0') ? known : []
}

/** In the largest unit of which there is one, rounded: nobody compares seconds of days. */
function formatHold(seconds: number): string {
  const unit = [86_400, 3_600, 60].find((size) => seconds >= size) ?? 1
  return formatDuration(Math.round(seconds / unit) * unit)
}
