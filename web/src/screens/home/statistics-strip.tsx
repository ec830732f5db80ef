import type { Schema } from '@slipway/sdk'
import { countOf, formatCount, formatUsd, toNumber } from '@slipway/sdk/helpers'
import { useStatistics } from '@slipway/sdk/react'
import { Flash } from '../../components/figures.tsx'
import { ScrollRegion } from '../../components/scroll-region.tsx'
import { QueryState, Skeleton } from '../../components/states.tsx'
import { useCoin } from '../../data/config.tsx'

export function StatisticsStrip() {
  const query = useStatistics()
  return (
    // One row on phones, where the tokens come first.
    <ScrollRegion label="Platform statistics" className="panel p-4 max-sm:overflow-x-auto">
      <QueryState query={query} loading={<Skeleton className="h-15 sm:h-32" />}>
        {(statistics) => <Figures statistics={statistics} />}
      </QueryState>
    </ScrollRegion>
  )
}

function Figures({ statistics }: { statistics: Schema<'Statistics'> }) {
  const coin = useCoin()
  const { tokens, h24, total, staking, raises, quoteUsd } = statistics
  const fees = BigInt(h24.creatorFees) + BigInt(h24.protocolFees)
  // A unit beside its figure would be cut off where four of them share a narrow column.
  const figures: [label: string, value: number | null, text: string, note: string][] = [
    [
      h24.volumeUsd === null ? `Volume 24h (${coin.symbol})` : 'Volume 24h',
      h24.volumeUsd,
      h24.volumeUsd === null ? coin.figure(h24.volume) : formatUsd(h24.volumeUsd),
      `${formatUsd(total.volumeUsd)} in total`,
    ],
    ['Trades 24h', h24.trades, formatCount(h24.trades), `${formatCount(total.trades)} in total`],
    ['Traders 24h', h24.traders, formatCount(h24.traders), `${formatCount(total.traders)} in total`],
    ['Tokens', tokens.total, formatCount(tokens.total), `${formatCount(tokens.created24h)} launched in 24h`],
    ['Graduated', tokens.graduated, formatCount(tokens.graduated), `${formatCount(tokens.onCurve)} on the curve`],
    [
      `Fees 24h (${coin.symbol})`,
      toNumber(fees, coin.decimals),
      coin.figure(fees),
      `${coin.figure(h24.creatorFees)} to creators`,
    ],
    ['Staked', staking.positions, formatUsd(staking.stakedValueUsd), countOf(staking.positions, 'position')],
    [`${coin.symbol} price`, quoteUsd, formatUsd(quoteUsd), countOf(raises.open, 'open raise')],
  ]
  return (
    <dl className="grid gap-4 max-sm:grid-flow-col max-sm:auto-cols-[8.5rem] sm:grid-cols-4">
      {figures.map(([label, value, text, note]) => (
        <div key={label} className="min-w-0">
          <dt className="truncate text-2xs text-faint">{label}</dt>
          <dd className="truncate text-lg font-bold leading-snug max-sm:text-base lg:max-xl:text-base">
            <Flash value={value}>{text}</Flash>
          </dd>
          <dd className="truncate text-2xs text-muted">{note}</dd>
        </div>
      ))}
    </dl>
  )
}
