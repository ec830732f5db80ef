import type { Schema } from '@slipway/sdk'
import { directionOf, formatCount, formatPercent, formatUsd } from '@slipway/sdk/helpers'
import { useList } from '@slipway/sdk/react'
import { useEffect } from 'react'
import { PageTitle } from '../../components/page-title.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Choice } from '../../components/tabs.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { type Coin, useCoin, useLaunchpads } from '../../data/config.tsx'
import { MARKET_EVENTS } from '../../data/market-events.ts'
import { learnNames } from '../../data/names.ts'
import { useUrlChoice } from '../../data/url-state.ts'
import { api } from '../../lib/api.ts'
import { useTitle } from '../../lib/use-title.ts'
import { useSession } from '../../wallet/session.tsx'

type Entry = Schema<'LeaderboardEntry'>

const PERIODS: readonly { id: Entry['period']; label: string }[] = [
  { id: '24h', label: '24h' },
  { id: '7d', label: '7d' },
  { id: '30d', label: '30d' },
  { id: 'all', label: 'All time' },
]
const ORDERS: readonly { id: Entry['by']; label: string }[] = [
  { id: 'volume', label: 'Volume' },
  { id: 'pnl', label: 'Realized profit' },
]

/** The choice of all launchpads. */
const ALL = ''

export function LeaderboardScreen() {
  useTitle('Leaderboard')
  const coin = useCoin()
  const { wallet: own } = useSession()
  const [period, setPeriod] = useUrlChoice('period', PERIODS, '24h')
  const [by, setBy] = useUrlChoice('by', ORDERS, 'volume')
  const launchpads = useLaunchpads()
  const [launchpad, setLaunchpad] = useUrlChoice('launchpad', launchpads, ALL)
  const filter = launchpad === ALL ? {} : { launchpad }
  const query = useList(api.leaderboard.with({ period, by, ...filter, limit: 50 }), {
    ...MARKET_EVENTS,
    keepPrevious: true,
  })
  const { items } = query
  useEffect(() => learnNames(items.map(({ profile }) => profile)), [items])
  return (
    <>
      <PageTitle title="Leaderboard">
        <div className="flex flex-wrap gap-2">
          <Choice label="Period" options={PERIODS} selected={period} onSelect={setPeriod} />
          <Choice label="Order" options={ORDERS} selected={by} onSelect={setBy} />
          {launchpads.length > 1 && (
            <select
              aria-label="Launchpad"
              value={launchpad}
              onChange={(event) => setLaunchpad(event.target.value)}
              className="max-w-full rounded-md border border-line bg-sunken px-2 py-1 text-xs font-semibold"
            >
              <option value={ALL}>All launchpads</option>
              {launchpads.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
            </select>
          )}
        </div>
      </PageTitle>
      <section className="panel" aria-label="Traders">
        <QueryState query={query} loading={<SkeletonRows count={12} className="h-9" />}>
          {() =>
            items.length === 0 ? (
              <Empty icon="users" title="Nobody traded in this period" />
            ) : (
              <Table
                caption="Traders by rank"
                columns={listColumns(coin)}
                rows={items}
                keyOf={({ wallet }) => wallet}
                rowClass={({ wallet }) => (wallet === own ? 'bg-accent-soft/60' : '')}
              />
            )
          }
        </QueryState>
      </section>
    </>
  )
}

const colours = { up: 'text-up', down: 'text-down', flat: '' } as const

/** Wallets are ranked in native coin. */
function listColumns(coin: Coin): readonly Column<Entry>[] {
  return [
    {
      label: 'Rank',
      // Rows are in this order: on a phone the figures need the width.
      from: 'sm',
      align: 'right',
      className: ({ rank }) => (rank <= 3 ? 'font-bold text-crown' : 'text-muted'),
      cell: ({ rank }) => rank,
    },
    { label: 'Trader', isFlexible: true, cell: (entry) => <Trader entry={entry} /> },
    {
      label: `Volume in ${coin.symbol}`,
      align: 'right',
      className: 'font-semibold',
      cell: ({ volumeNative }) => coin.figure(volumeNative),
    },
    {
      label: 'Volume USD',
      align: 'right',
      from: 'lg',
      className: 'text-muted',
      cell: ({ volumeUsd }) => formatUsd(volumeUsd),
    },
    {
      label: 'Trades',
      align: 'right',
      from: 'md',
      className: 'text-muted',
      cell: ({ tradeCount }) => formatCount(tradeCount),
    },
    {
      label: 'Win rate',
      align: 'right',
      from: 'md',
      className: 'text-muted',
      cell: ({ winRatePct }) => (winRatePct === null ? '–' : formatPercent(winRatePct)),
    },
    {
      label: `Profit in ${coin.symbol}`,
      align: 'right',
      className: ({ realizedPnl: { native } }) => `font-semibold ${colours[directionOf(Number(native))]}`,
      cell: ({ realizedPnl: { native } }) => `${BigInt(native) > 0n ? '+' : ''}${coin.figure(native)}`,
    },
    {
      label: 'Profit USD',
      align: 'right',
      from: 'lg',
      className: 'text-muted',
      cell: ({ realizedPnl: { usd } }) => formatUsd(usd),
    },
  ]
}

function Trader({ entry: { wallet, profile } }: { entry: Entry }) {
  const { wallet: own } = useSession()
  return (
    <span className="flex min-w-0 items-center gap-2.5">
      <TokenImage
        address={wallet}
        symbol={profile?.username ?? '0x'}
        imageUrl={profile?.avatarUrl ?? null}
        className="size-7"
        shape="round"
      />
      <WalletName wallet={wallet} username={profile?.username ?? null} className="truncate font-semibold" />
      {own === wallet && <span className="text-2xs text-accent-ink">you</span>}
    </span>
  )
}
