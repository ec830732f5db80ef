import type { Schema } from '@slipway/sdk'
import { formatAmount, formatPercent } from '@slipway/sdk/helpers'
import { useList } from '@slipway/sdk/react'
import { Age } from '../../components/figures.tsx'
import { FlagBadges } from '../../components/flag-badges.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Choice } from '../../components/tabs.tsx'
import { type Coin, toCoin } from '../../data/config.tsx'
import { useFlags } from '../../data/forensics.ts'
import type { Token } from '../../data/tokens.ts'
import { useUrlChoice } from '../../data/url-state.ts'
import { api } from '../../lib/api.ts'
import { Profit } from '../portfolio/profit.tsx'
import { TraderName } from './trader-name.tsx'

type Trader = Schema<'TopTrader'>

const ORDERS = [
  { id: 'realized', label: 'Realized' },
  { id: 'unrealized', label: 'Unrealized' },
  { id: 'volume', label: 'Volume' },
] as const

/** The wallets that gained or traded most. */
export function TopTraderList({ token }: { token: Token }) {
  const coin = toCoin(token.quote)
  const flags = useFlags(token.address)
  const [by, setBy] = useUrlChoice('by', ORDERS, 'realized')
  const query = useList(api.tokens.topTraders.with(token.address, { by, limit: 25 }), {
    rooms: [`token:${token.address}`],
    refetchMs: 10_000,
    keepPrevious: true,
    apply: (data, { type }) => (type === 'trade' || type === 'trade.retracted' ? undefined : data),
  })
  const { items } = query
  return (
    <>
      <div className="flex border-b border-line/60 px-3 py-1.5">
        <Choice label="Ranked by" options={ORDERS} selected={by} onSelect={setBy} />
      </div>
      <QueryState query={query} loading={<SkeletonRows count={8} className="h-7" />}>
        {() =>
          items.length === 0 ? (
            <Empty icon="users" title="No traders yet" />
          ) : (
            <Table
              caption={`Traders by ${by === 'volume' ? 'volume' : `${by} profit`}`}
              label="Top traders"
              columns={listColumns(token, coin, { flags, by })}
              rows={items}
              keyOf={({ wallet }) => wallet}
              maxHeight="max-h-[30rem]"
              isDense
            />
          )
        }
      </QueryState>
      <ShowMore list={query} parameter="traderPages" />
    </>
  )
}

interface Shown {
  flags: ReturnType<typeof useFlags>
  by: (typeof ORDERS)[number]['id']
}

/** In the quote asset, by which the service ranks: the order in US dollars is another one. */
function listColumns({ decimals, quote }: Token, coin: Coin, { flags, by }: Shown): readonly Column<Trader>[] {
  /** The ranking figure is always shown, and on a phone one other. */
  const leastWidth = { realized: undefined, unrealized: by === 'volume' ? 'md' : undefined, volume: 'lg' } as const
  const column = (id: Shown['by'], rest: Column<Trader>): Column<Trader> => {
    const from = leastWidth[id]
    return id === by ? { ...rest, sorted: 'descending' as const } : { ...rest, ...(from && { from }) }
  }
  return [
    {
      label: 'Trader',
      isFlexible: true,
      cell: ({ wallet }) => (
        <TraderName wallet={wallet}>
          <FlagBadges flags={flags.get(wallet) ?? []} />
        </TraderName>
      ),
    },
    { label: 'Bought', align: 'right', from: '2xl', cell: ({ bought }) => formatAmount(bought, decimals) },
    { label: 'Sold', align: 'right', from: '2xl', cell: ({ sold }) => formatAmount(sold, decimals) },
    column('volume', {
      label: `Volume ${coin.symbol}`,
      align: 'right',
      cell: ({ volume }) => coin.figure(volume),
    }),
    column('realized', {
      label: 'Realized',
      align: 'right',
      cell: ({ realizedPnl }) => <Profit profit={{ ...realizedPnl, usd: null }} quote={quote} />,
    }),
    column('unrealized', {
      label: 'Unrealized',
      align: 'right',
      cell: ({ unrealizedPnl }) => <Profit profit={{ ...unrealizedPnl, usd: null }} quote={quote} />,
    }),
    { label: 'Holds', align: 'right', from: 'md', cell: ({ pct }) => formatPercent(pct, 2) },
    {
      label: 'Last trade',
      align: 'right',
      from: '3xl',
      className: 'text-muted',
      cell: ({ lastTradeAt }) => <Age iso={lastTradeAt} />,
    },
  ]
}
