import { parseUnits } from '@slipway/sdk'
import { formatAmount, formatPrice, formatUsd } from '@slipway/sdk/helpers'
import { type LiveTrade, useTrades } from '@slipway/sdk/react'
import { Badge } from '../../components/badges.tsx'
import { ExplorerLink } from '../../components/explorer-link.tsx'
import { Age } from '../../components/figures.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Choice } from '../../components/tabs.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { type Coin, useCoin } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { useUrlChoice } from '../../data/url-state.ts'
import { useSession } from '../../wallet/session.tsx'

type Filter = 'all' | 'buys' | 'sells' | 'large' | 'mine'

/** What a large trade is: in whole native coins. */
const LARGE = 1

export function TradeList({ token }: { token: Token }) {
  const { wallet } = useSession()
  const { symbol, decimals } = useCoin()
  const filters: { id: Filter; label: string }[] = [
    { id: 'all', label: 'All' },
    { id: 'buys', label: 'Buys' },
    { id: 'sells', label: 'Sells' },
    { id: 'large', label: `≥ ${LARGE} ${symbol}` },
    ...(wallet ? [{ id: 'mine', label: 'Mine' } as const] : []),
  ]
  const [filter, setFilter] = useUrlChoice('trades', filters, 'all')
  const conditions = {
    all: {},
    buys: { side: 'buy' },
    sells: { side: 'sell' },
    large: { minQuote: String(parseUnits(String(LARGE), decimals)) },
    mine: { ...(wallet && { wallet }) },
  } as const
  const query = useTrades(token.address, { limit: 50, ...conditions[filter] })
  return (
    <>
      <div className="flex border-b border-line/60 px-3 py-1.5">
        <Choice label="Trades shown" options={filters} selected={filter} onSelect={setFilter} />
      </div>
      <QueryState query={query} loading={<SkeletonRows count={8} className="h-7" />}>
        {() => <Trades token={token} trades={query.items} isFiltered={filter !== 'all'} />}
      </QueryState>
    </>
  )
}

interface TradesProps {
  token: Token
  trades: readonly LiveTrade[]
  isFiltered: boolean
}

function Trades({ token, trades, isFiltered }: TradesProps) {
  const coin = useCoin()
  const { wallet } = useSession()
  if (trades.length === 0 && isFiltered) return <Empty icon="clock" title="No such trades" />
  if (trades.length === 0)
    return (
      <Empty icon="clock" title="No trades yet">
        The first buy starts the chart.
      </Empty>
    )
  return (
    <Table
      caption="Trades, newest first"
      label="Trades"
      columns={listColumns(token, coin)}
      rows={trades}
      keyOf={({ id }) => id}
      rowClass={({ trader, retracted }) =>
        `enter ${wallet === trader ? 'bg-accent-soft/60' : ''} ${retracted ? 'text-faint' : ''}`
      }
      maxHeight="max-h-[30rem]"
      isDense
    />
  )
}

const struck = ({ retracted }: LiveTrade) => (retracted ? 'line-through decoration-2' : '')

function listColumns(token: Token, coin: Coin): readonly Column<LiveTrade>[] {
  return [
    { label: 'Side', cell: (trade) => <Side trade={trade} /> },
    { label: 'Trader', isFlexible: true, cell: ({ trader }) => <Trader wallet={trader} /> },
    {
      label: token.symbol,
      isForeignLabel: true,
      align: 'right',
      className: struck,
      cell: ({ tokenAmount }) => formatAmount(tokenAmount, token.decimals),
    },
    {
      label: coin.symbol,
      align: 'right',
      from: 'xl',
      className: struck,
      cell: ({ quoteAmount }) => coin.figure(quoteAmount),
    },
    { label: 'Value', align: 'right', className: struck, cell: ({ valueUsd }) => formatUsd(valueUsd) },
    {
      label: 'Price',
      align: 'right',
      from: '2xl',
      className: (trade) => `text-muted ${struck(trade)}`,
      cell: ({ priceUsd, priceNative }) =>
        priceUsd === null ? formatPrice(Number(priceNative)) : `$${formatPrice(priceUsd)}`,
    },
    { label: 'Age', align: 'right', className: 'text-muted', cell: (trade) => <TradeAge trade={trade} /> },
  ]
}

function Side({ trade }: { trade: LiveTrade }) {
  const { retracted: isRetracted } = trade
  const isBuy = trade.side === 'buy'
  return (
    <span className={`font-semibold ${isRetracted ? '' : isBuy ? 'text-up' : 'text-down'}`}>
      <span className={struck(trade)}>
        <span aria-hidden="true" className="mr-1 text-[0.65em]">
          {isBuy ? '▲' : '▼'}
        </span>
        {isBuy ? 'Buy' : 'Sell'}
      </span>
      {isRetracted && (
        <span className="ml-1.5 @max-lg:sr-only">
          <Badge tone="bad" title="A reorganization of the chain undid this trade.">
            Retracted
          </Badge>
        </span>
      )}
    </span>
  )
}

function Trader({ wallet }: { wallet: string }) {
  const { wallet: own } = useSession()
  return (
    <>
      <WalletName wallet={wallet} />
      {own === wallet && <span className="ml-1 text-2xs text-accent-ink">you</span>}
    </>
  )
}

function TradeAge({ trade }: { trade: LiveTrade }) {
  const isFinal = trade.confirmed || trade.retracted
  return (
    <span title={trade.confirmed ? undefined : 'Not final yet'}>
      <ExplorerLink kind="tx" value={trade.txHash}>
        <Age iso={trade.timestamp} />
      </ExplorerLink>
      {!isFinal && <span className="sr-only"> not final yet</span>}
    </span>
  )
}
