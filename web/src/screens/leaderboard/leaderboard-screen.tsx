import { listLeaderboard, type Schema } from '@slipway/sdk'
import { useList } from '@slipway/sdk/react'
import { useEffect, useState } from 'react'
import { PageTitle } from '../../components/page-title.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { Cell, rowClass, Table } from '../../components/table.tsx'
import { Choice } from '../../components/tabs.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useCoin } from '../../data/config.tsx'
import { learnNames } from '../../data/names.ts'
import { directionOf, formatCount, formatUsd } from '../../lib/amounts.ts'
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

export function LeaderboardScreen() {
  useTitle('Leaderboard')
  const [period, setPeriod] = useState<Entry['period']>('24h')
  const [by, setBy] = useState<Entry['by']>('volume')
  const query = useList(listLeaderboard, { query: { period, by, limit: 50 } }, { keepPrevious: true })
  const { items } = query
  useEffect(() => learnNames(items.map(({ profile }) => profile)), [items])
  return (
    <>
      <PageTitle title="Leaderboard">
        <div className="flex flex-wrap gap-2">
          <Choice label="Period" options={PERIODS} selected={period} onSelect={setPeriod} />
          <Choice label="Order" options={ORDERS} selected={by} onSelect={setBy} />
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
                columns={[
                  { label: 'Rank', align: 'right', className: 'w-14' },
                  { label: 'Trader' },
                  { label: 'Volume', align: 'right' },
                  { label: 'Trades', align: 'right', className: 'max-sm:hidden' },
                  { label: 'Realized profit', align: 'right' },
                ]}
              >
                {items.map((entry) => (
                  <Row key={entry.wallet} entry={entry} />
                ))}
              </Table>
            )
          }
        </QueryState>
      </section>
    </>
  )
}

const colours = { up: 'text-up', down: 'text-down', flat: '' } as const

function Row({ entry }: { entry: Entry }) {
  const coin = useCoin()
  const { wallet: own } = useSession()
  const { wallet, profile, rank, realizedPnl } = entry
  const profit = realizedPnl.usd
  return (
    <tr className={`${rowClass} ${own === wallet ? 'bg-accent-soft/60' : ''}`}>
      <Cell align="right" className={rank <= 3 ? 'font-bold text-crown' : 'text-muted'}>
        {rank}
      </Cell>
      <Cell>
        <span className="flex items-center gap-2.5">
          <TokenImage
            address={wallet}
            symbol={profile?.username ?? '0x'}
            imageUrl={profile?.avatarUrl ?? null}
            className="size-7"
            shape="round"
          />
          <WalletName
            wallet={wallet}
            username={profile?.username ?? null}
            className="truncate font-semibold max-sm:max-w-24"
          />
          {own === wallet && <span className="whitespace-nowrap text-2xs text-accent-ink">you</span>}
        </span>
      </Cell>
      <Cell align="right" className="font-semibold">
        {entry.volumeUsd === null ? coin.format(entry.volumeNative) : formatUsd(entry.volumeUsd)}
      </Cell>
      <Cell align="right" className="text-muted max-sm:hidden">
        {formatCount(entry.tradeCount)}
      </Cell>
      <Cell align="right" className={`font-semibold ${colours[directionOf(profit ?? Number(realizedPnl.native))]}`}>
        {profit === null ? coin.format(realizedPnl.native) : `${profit > 0 ? '+' : ''}${formatUsd(profit)}`}
      </Cell>
    </tr>
  )
}
