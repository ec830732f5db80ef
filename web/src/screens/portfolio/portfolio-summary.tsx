import type { Schema } from '@slipway/sdk'
import { countOf, formatUsd } from '@slipway/sdk/helpers'
import { isNative, useCoin } from '../../data/config.tsx'
import { Profit } from './profit.tsx'

export function PortfolioSummary({ portfolio }: { portfolio: Schema<'Portfolio'> }) {
  const coin = useCoin()
  // Amounts of other assets do not add up with these.
  const earning = [...portfolio.created, ...portfolio.feeShares].filter(({ quote }) => isNative(quote))
  const claimable = earning.reduce((sum, { feesClaimable }) => sum + BigInt(feesClaimable ?? 0), 0n)
  return (
    <dl className="panel grid grid-cols-2 gap-4 p-4 sm:grid-cols-4">
      <Figure label="Value" note={coin.format(portfolio.totalValueNative)}>
        {formatUsd(portfolio.totalValueUsd)}
      </Figure>
      <Figure label="Unrealized profit" note="of tokens it bought">
        <Profit profit={portfolio.unrealizedPnl} />
      </Figure>
      <Figure label="Realized profit" note="of what it sold">
        <Profit profit={portfolio.realizedPnl} />
      </Figure>
      <Figure label="Fees to claim" note={`of ${countOf(earning.length, 'token')}`}>
        {coin.format(claimable)}
      </Figure>
    </dl>
  )
}

function Figure({ label, note, children }: { label: string; note: string; children: React.ReactNode }) {
  return (
    <div className="min-w-0">
      <dt className="text-2xs text-faint">{label}</dt>
      <dd className="truncate text-xl font-bold">{children}</dd>
      <dd className="truncate text-2xs text-muted">{note}</dd>
    </div>
  )
}
