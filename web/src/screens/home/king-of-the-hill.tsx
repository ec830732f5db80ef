import { formatCount, formatPercent, formatUsd } from '@slipway/sdk/helpers'
import { useTokens } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { TokenBadges } from '../../components/badges.tsx'
import { Change, Flash, Progress, Stat } from '../../components/figures.tsx'
import { Icon } from '../../components/icon.tsx'
import { Skeleton } from '../../components/states.tsx'
import { TokenImage } from '../../components/token-image.tsx'

/** The token that trades most now: first of the trending list. */
export function KingOfTheHill() {
  // The same request as the first view of the table.
  const { data, items, error } = useTokens({ sort: 'trending', limit: 25 })
  const king = items[0]
  if (error || (data && !king)) return <div className="panel p-4 text-muted">No token trades at the moment.</div>
  if (!king) return <Skeleton className="h-40 rounded-lg" />
  return (
    <section aria-labelledby="king" className="panel relative overflow-hidden p-4">
      <div className="flex items-center gap-1.5 text-xs font-semibold text-crown">
        <Icon name="crown" />
        <h2 id="king">King of the hill</h2>
      </div>
      <Link
        to="/token/$address"
        params={{ address: king.address }}
        className="mt-3 flex items-center gap-4 after:absolute after:inset-0"
      >
        <TokenImage {...king} className="size-16 rounded-xl" />
        <span className="min-w-0 flex-1">
          <span className="line-clamp-2 wrap-anywhere text-lg font-bold leading-tight">
            <bdi>{king.name}</bdi>
          </span>
          <span className="mt-1 flex flex-wrap items-center gap-2 text-muted">
            <bdi>{king.symbol}</bdi> <TokenBadges token={king} />
          </span>
        </span>
        <span className="text-right">
          <Flash value={king.marketCapUsd} className="block text-xl font-bold">
            {formatUsd(king.marketCapUsd)}
          </Flash>
          <span className="text-xs text-muted">
            <Change percent={king.priceChangePct.h24} className="font-semibold" /> 24h in {king.quote.symbol}
          </span>
        </span>
      </Link>
      <dl className="mt-4 grid grid-cols-2 gap-3 sm:grid-cols-4">
        <Stat label="Volume 24h">{formatUsd(king.volumeUsd24h)}</Stat>
        <Stat label="Traders 24h">{formatCount(king.traders24h)}</Stat>
        <Stat label="Holders">{formatCount(king.holderCount)}</Stat>
        <Stat label={king.status === 'graduated' ? 'Liquidity' : 'Curve'}>
          {king.status === 'graduated' ? formatUsd(king.liquidityUsd) : formatPercent(king.progressPct)}
        </Stat>
      </dl>
      {king.status !== 'graduated' && (
        <Progress percent={king.progressPct} label={`Curve of ${king.symbol}`} className="mt-3" />
      )}
    </section>
  )
}
