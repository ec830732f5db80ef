import { formatCount, formatPercent, formatUsd } from '@slipway/sdk/helpers'
import { Link } from '@tanstack/react-router'
import { Age, Change, Flash, Progress } from '../../components/figures.tsx'
import { Icon } from '../../components/icon.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { useChangeUnit, useLaunchpadName } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { QuickBuyButton } from './quick-buy/quick-buy.tsx'

/** Says what the changes on the cards below are: on a phone no card has room for it. */
export function ChangeNote() {
  return <span className="text-2xs font-normal text-faint">24h {useChangeUnit()}</span>
}

/** A token in a column. The whole card leads to its page. */
export function TokenCard({ token }: { token: Token }) {
  const { address, name, symbol, marketCapUsd, status, progressPct, holderCount, commentCount, liquidityUsd } = token
  const launchpad = useLaunchpadName(token)
  return (
    <li className="enter relative h-(--card) snap-start border-b border-line/70 px-3.5 py-2.5 hover:bg-raised">
      <div className="flex items-center gap-3">
        <TokenImage {...token} className="size-11" />
        <div className="min-w-0 flex-1">
          <div className="flex items-baseline justify-between gap-3">
            <Link
              to="/token/$address"
              params={{ address }}
              className="min-w-0 truncate font-semibold after:absolute after:inset-0"
            >
              <bdi>{name}</bdi> <bdi className="font-normal text-muted">{symbol}</bdi>
            </Link>
            <Flash value={marketCapUsd} className="shrink-0 font-semibold">
              {formatUsd(marketCapUsd)}
            </Flash>
          </div>
          <div className="mt-0.5 flex items-center justify-between gap-3 text-xs text-muted">
            {/* What has no room wraps out of sight, whole. */}
            <span className="flex h-4 min-w-0 flex-1 flex-wrap items-center gap-x-2.5 overflow-hidden whitespace-nowrap">
              <Age iso={token.graduatedAt ?? token.createdAt} />
              <span className="flex items-center gap-1" title="Holders">
                <Icon name="users" className="size-3" />
                <span className="sr-only">Holders</span>
                {formatCount(holderCount)}
              </span>
              <span className="flex items-center gap-1" title="Comments">
                <Icon name="comment" className="size-3" />
                <span className="sr-only">Comments</span>
                {formatCount(commentCount)}
              </span>
              <span title="Volume of 24 hours">Vol {formatUsd(token.volumeUsd24h)}</span>
            </span>
            <span title={`Change of the price in 24 hours in ${token.quote.symbol}`}>
              <Change percent={token.priceChangePct.h24} />
            </span>
          </div>
        </div>
      </div>
      <div className="mt-2 flex h-6 items-center gap-2.5">
        {status === 'graduated' ? (
          <span className="flex-1 truncate text-xs text-muted">
            {launchpad}
            {launchpad !== null && liquidityUsd !== null && ' · '}
            {(launchpad === null || liquidityUsd !== null) && `Liquidity ${formatUsd(liquidityUsd)}`}
          </span>
        ) : (
          <>
            {launchpad !== null && <span className="max-w-24 truncate text-xs text-muted">{launchpad}</span>}
            <Progress percent={progressPct} label={`Curve of ${symbol}`} className="flex-1" />
            <span className="w-11 text-right text-2xs text-muted">{formatPercent(progressPct)}</span>
          </>
        )}
        <QuickBuyButton token={token} />
      </div>
    </li>
  )
}
