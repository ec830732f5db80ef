import { formatAmount, formatPrice, formatUsd } from '@slipway/sdk/helpers'
import { type LiveTrade, useTrades } from '@slipway/sdk/react'
import { useId } from 'react'
import { Badge } from '../../components/badges.tsx'
import { Button } from '../../components/button.tsx'
import { ExplorerLink } from '../../components/explorer-link.tsx'
import { Age } from '../../components/figures.tsx'
import { Icon } from '../../components/icon.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table } from '../../components/table.tsx'
import { Choice } from '../../components/tabs.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { type Coin, toCoin } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { useParameter, useUrlChoice } from '../../data/url-state.ts'
import { useIsFinal } from '../../data/use-is-final.ts'
import { useUrlFigure } from '../../data/use-url-figure.ts'
import { useSession } from '../../wallet/session.tsx'
import { TraderName } from './trader-name.tsx'
import { LEAST, toLeastQuote, useTradeFilter } from './use-trade-filter.ts'

const SIDES = [
  { id: 'all', label: 'All' },
  { id: 'buys', label: 'Buys' },
  { id: 'sells', label: 'Sells' },
] as const
const sideOf = { all: undefined, buys: 'buy', sells: 'sell' } as const

export function TradeList({ token }: { token: Token }) {
  const { wallet } = useSession()
  const { decimals } = token.quote
  const [shown, setShown] = useUrlChoice('trades', SIDES, 'all')
  const { trader, setTrader } = useTradeFilter()
  const minQuote = toLeastQuote(useParameter(LEAST).value, decimals)
  const side = sideOf[shown]
  const query = useTrades(token.address, {
    limit: 50,
    ...(side && { side }),
    ...(trader && { wallet: trader }),
    ...(minQuote && { minQuote }),
  })
  const isFiltered = side !== undefined || trader !== null || minQuote !== undefined
  return (
    <>
      <div className="flex flex-wrap items-center gap-2 border-b border-line/60 px-3 py-1.5">
        <Choice label="Trades shown" options={SIDES} selected={shown} onSelect={setShown} />
        {wallet && trader !== wallet && (
          <Button size="sm" kind="ghost" onClick={() => setTrader(wallet)}>
            Mine
          </Button>
        )}
        {trader && (
          <span className="inline-flex min-w-0 items-center gap-1 rounded-md bg-accent-soft py-1 pl-2 pr-1 text-xs font-semibold">
            By <WalletName wallet={trader} className="truncate" />
            <button
              type="button"
              aria-label="Trades of all wallets"
              onClick={() => setTrader(null)}
              className="rounded p-0.5 text-muted hover:text-ink"
            >
              <Icon name="close" className="size-3" />
            </button>
          </span>
        )}
        <LeastField symbol={token.quote.symbol} />
      </div>
      <QueryState query={query} loading={<SkeletonRows count={8} className="h-7" />}>
        {() => <Trades token={token} trades={query.items} isFiltered={isFiltered} />}
      </QueryState>
      <ShowMore list={query} parameter="tradePages" />
    </>
  )
}

/** The least size of the shown trades, in whole units of the quote asset. */
function LeastField({ symbol }: { symbol: string }) {
  const id = useId()
  const { input, problem } = useUrlFigure(LEAST, 'count')
  return (
    <span className="ml-auto flex items-center gap-1.5 text-xs text-muted">
      <label htmlFor={id}>≥ {symbol}</label>
      <input
        {...input}
        id={id}
        inputMode="decimal"
        autoComplete="off"
        maxLength={12}
        placeholder="0"
        aria-invalid={problem !== null}
        title={problem ?? 'Least amount of the shown trades'}
        className="field h-7 w-16 px-2 py-0.5 text-right text-xs"
      />
    </span>
  )
}

interface TradesProps {
  token: Token
  trades: readonly LiveTrade[]
  isFiltered: boolean
}

function Trades({ token, trades, isFiltered }: TradesProps) {
  const coin = toCoin(token.quote)
  const { wallet } = useSession()
  const isFinal = useIsFinal(trades.filter(({ retracted }) => !retracted))
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
      columns={listColumns(token, coin, isFinal)}
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

function listColumns(token: Token, coin: Coin, isFinal: ReturnType<typeof useIsFinal>): readonly Column<LiveTrade>[] {
  return [
    { label: 'Side', cell: (trade) => <Side trade={trade} /> },
    { label: 'Trader', isFlexible: true, cell: ({ trader }) => <TraderName wallet={trader} /> },
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
      cell: ({ priceUsd, priceQuote }) =>
        priceUsd === null ? formatPrice(priceQuote === null ? null : Number(priceQuote)) : `$${formatPrice(priceUsd)}`,
    },
    {
      label: 'Age',
      align: 'right',
      className: 'text-muted',
      cell: (trade) => <TradeAge trade={trade} isOpen={!trade.retracted && !isFinal(trade)} />,
    },
  ]
}

function Side({ trade }: { trade: LiveTrade }) {
  const { retracted: isRetracted } = trade
  const isBuy = trade.side === 'buy'
  return (
    <span className={`font-semibold ${isRetracted ? '' : isBuy ? 'text-up' : 'text-down'}`}>
      <span className={struck(trade)}>
        <span aria-hidden="true" className="text-[0.65em] @max-sm:text-[0.85em] @sm:mr-1">
          {isBuy ? '▲' : '▼'}
        </span>
        <span className="@max-sm:sr-only">{isBuy ? 'Buy' : 'Sell'}</span>
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

/** isOpen: a reorganization of the chain could still undo the trade. */
function TradeAge({ trade, isOpen }: { trade: LiveTrade; isOpen: boolean }) {
  return (
    <span title={isOpen ? 'Not final yet' : undefined}>
      <ExplorerLink kind="tx" value={trade.txHash}>
        <Age iso={trade.timestamp} />
      </ExplorerLink>
      {isOpen && <span className="sr-only"> not final yet</span>}
    </span>
  )
}
