import { type LiveTrade, useTrades } from '@slipway/sdk/react'
import { Badge } from '../../components/badges.tsx'
import { ExplorerLink } from '../../components/explorer-link.tsx'
import { Age } from '../../components/figures.tsx'
import { ScrollRegion } from '../../components/scroll-region.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useCoin } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { formatAmount, formatPrice, formatUsd } from '../../lib/amounts.ts'
import { useSession } from '../../wallet/session.tsx'

export function TradeList({ token }: { token: Token }) {
  const query = useTrades(token.address, { limit: 50 })
  return (
    <QueryState query={query} loading={<SkeletonRows count={8} className="h-7" />}>
      {() => <Trades token={token} trades={query.items} />}
    </QueryState>
  )
}

function Trades({ token, trades }: { token: Token; trades: readonly LiveTrade[] }) {
  const { symbol } = useCoin()
  if (trades.length === 0)
    return (
      <Empty icon="clock" title="No trades yet">
        The first buy starts the chart.
      </Empty>
    )
  return (
    <ScrollRegion label="Trades" className="max-h-[30rem] overflow-y-auto">
      <table className="w-full">
        <caption className="sr-only">Trades, newest first</caption>
        <thead className="sticky top-0 bg-surface text-2xs text-faint">
          <tr>
            <th scope="col" className="px-2 py-2 text-left font-semibold sm:px-3">
              Side
            </th>
            <th scope="col" className="px-2 py-2 text-left font-semibold sm:px-3">
              Trader
            </th>
            <th scope="col" className="whitespace-nowrap px-2 py-2 text-right font-semibold sm:px-3">
              {token.symbol}
            </th>
            <th scope="col" className="whitespace-nowrap px-2 py-2 text-right font-semibold sm:px-3 max-sm:hidden">
              {symbol}
            </th>
            <th scope="col" className="whitespace-nowrap px-2 py-2 text-right font-semibold sm:px-3">
              Value
            </th>
            <th scope="col" className="whitespace-nowrap px-2 py-2 text-right font-semibold sm:px-3 max-md:hidden">
              Price
            </th>
            <th scope="col" className="whitespace-nowrap px-2 py-2 text-right font-semibold sm:px-3">
              Age
            </th>
          </tr>
        </thead>
        <tbody>
          {trades.map((trade) => (
            <TradeRow key={trade.id} trade={trade} decimals={token.decimals} />
          ))}
        </tbody>
      </table>
    </ScrollRegion>
  )
}

function TradeRow({ trade, decimals }: { trade: LiveTrade; decimals: number }) {
  const { wallet } = useSession()
  const coin = useCoin()
  const { retracted: isRetracted } = trade
  const isBuy = trade.side === 'buy'
  const isMine = wallet === trade.trader
  const struck = isRetracted ? 'line-through decoration-2' : ''
  return (
    <tr
      className={`enter border-t border-line/60 ${isMine ? 'bg-accent-soft/60' : ''} ${isRetracted ? 'text-faint' : ''}`}
    >
      <td
        className={`whitespace-nowrap px-2 py-1.5 font-semibold sm:px-3 ${isRetracted ? '' : isBuy ? 'text-up' : 'text-down'}`}
      >
        <span className={struck}>
          <span aria-hidden="true" className="mr-1 text-[0.65em]">
            {isBuy ? '▲' : '▼'}
          </span>
          {isBuy ? 'Buy' : 'Sell'}
        </span>
        {isRetracted && (
          <span className="ml-1.5">
            <Badge tone="bad" title="A reorganization of the chain undid this trade.">
              Retracted
            </Badge>
          </span>
        )}
      </td>
      <td className="max-w-32 truncate px-2 py-1.5 sm:px-3">
        <WalletName wallet={trade.trader} />
        {isMine && <span className="ml-1 text-2xs text-accent-ink">you</span>}
      </td>
      <td className={`whitespace-nowrap px-2 py-1.5 text-right sm:px-3 ${struck}`}>
        {formatAmount(trade.tokenAmount, decimals)}
      </td>
      <td className={`whitespace-nowrap px-2 py-1.5 text-right sm:px-3 max-sm:hidden ${struck}`}>
        {coin.figure(trade.quoteAmount)}
      </td>
      <td className={`whitespace-nowrap px-2 py-1.5 text-right sm:px-3 ${struck}`}>{formatUsd(trade.valueUsd)}</td>
      <td className={`whitespace-nowrap px-2 py-1.5 text-right sm:px-3 text-muted max-md:hidden ${struck}`}>
        {trade.priceUsd === null ? formatPrice(Number(trade.priceNative)) : `$${formatPrice(trade.priceUsd)}`}
      </td>
      <td
        className="whitespace-nowrap px-2 py-1.5 text-right text-muted sm:px-3"
        title={trade.confirmed ? undefined : 'Not final yet'}
      >
        <ExplorerLink kind="tx" value={trade.txHash}>
          <Age iso={trade.timestamp} />
        </ExplorerLink>
        {!trade.confirmed && !isRetracted && <span className="sr-only"> not final yet</span>}
      </td>
    </tr>
  )
}
