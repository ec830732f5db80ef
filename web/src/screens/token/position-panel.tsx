import type { Schema } from '@slipway/sdk'
import { formatAmount, formatChange, formatPrice, formatUsd, toPosition } from '@slipway/sdk/helpers'
import { useOperation } from '@slipway/sdk/react'
import { Stat } from '../../components/figures.tsx'
import { useCoin } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'
import { useSession } from '../../wallet/session.tsx'
import { Profit } from '../portfolio/profit.tsx'

/** What the connected wallet has of a token, and what it gained; nothing if it never held any. */
export function PositionPanel({ token }: { token: Token }) {
  const { wallet } = useSession()
  const { data: holding } = useOperation(
    api.portfolio.holding.with(token.address, { wallet: wallet ?? token.creator }),
    {
      enabled: wallet !== null,
      rooms: [`token:${token.address}`],
      refetchMs: 1_000,
      apply: (data, { type }) => (type === 'trade' || type === 'trade.retracted' ? undefined : data),
    },
  )
  if (!wallet || !holding) return null
  return <Position token={token} holding={holding} />
}

function Position({ token, holding }: { token: Token; holding: Schema<'Holding'> }) {
  const coin = useCoin()
  const { averageEntry, unrealizedPct } = toPosition(holding, {
    decimals: token.decimals,
    coinDecimals: coin.decimals,
  })
  const entry =
    averageEntry === null
      ? '–'
      : averageEntry.usd === null
        ? `${formatPrice(averageEntry.native)} ${coin.symbol}`
        : `$${formatPrice(averageEntry.usd)}`
  return (
    <section aria-labelledby="position" className="panel p-4">
      <h2 id="position" className="mb-3 font-bold">
        Your position
      </h2>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
        <Stat label="Balance">{formatAmount(holding.balance, token.decimals)}</Stat>
        <Stat label="Value">
          {holding.valueUsd === null ? coin.format(holding.valueNative) : formatUsd(holding.valueUsd)}
        </Stat>
        <Stat label="Average entry" title="Average cost of a token that you bought, with fees">
          {entry}
        </Stat>
        <Stat label="Unrealized P&L">
          <Profit profit={holding.unrealizedPnl} />
          {unrealizedPct !== null && <span className="ml-1 text-muted">{formatChange(unrealizedPct)}</span>}
        </Stat>
        <Stat label="Realized P&L">
          <Profit profit={holding.realizedPnl} />
        </Stat>
      </dl>
    </section>
  )
}
