import { formatCount, formatPercent, formatPrice, formatUsd } from '@slipway/sdk/helpers'
import { TokenBadges } from '../../components/badges.tsx'
import { ChainReference } from '../../components/explorer-link.tsx'
import { Age, Change, Flash, Stat } from '../../components/figures.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import type { Token } from '../../data/tokens.ts'
import { AlertButton } from './alert-button.tsx'
import { LikeButton, WatchButton } from './mark-buttons.tsx'
import { ShareButton } from './share-button.tsx'

export function TokenHeader({ token }: { token: Token }) {
  const { address, priceUsd, priceQuote, quote } = token
  const price = priceUsd ?? (priceQuote === null ? null : Number(priceQuote))
  return (
    <header className="panel p-4">
      <div className="flex flex-wrap items-center gap-4">
        <TokenImage {...token} className="size-14 rounded-xl" />
        <div className="min-w-0 flex-1 basis-56">
          <h1 className="truncate text-lg font-bold leading-tight">
            <bdi>{token.name}</bdi> <bdi className="font-medium text-muted">{token.symbol}</bdi>
          </h1>
          <div className="mt-1 flex flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
            <TokenBadges token={token} />
            <ChainReference kind="address" value={address} label="Copy the address of the token" />
            <span className="max-w-full truncate">
              by <WalletName wallet={token.creator} /> · <Age iso={token.createdAt} />
            </span>
          </div>
        </div>
        <div className="text-right max-sm:flex-1 max-sm:text-left">
          <Flash value={price} className="block text-xl font-bold leading-tight">
            {priceUsd === null ? `${formatPrice(price)} ${quote.symbol}` : `$${formatPrice(priceUsd)}`}
          </Flash>
          <span className="text-xs text-muted">
            <Change percent={token.priceChangePct.h24} className="font-semibold" /> 24h in {quote.symbol}
          </span>
        </div>
        <div className="flex gap-2">
          <ShareButton token={token} />
          <AlertButton token={token} />
          <WatchButton token={token} />
          <LikeButton token={token} />
        </div>
      </div>
      <dl className="mt-4 grid grid-cols-2 gap-x-4 gap-y-3 sm:grid-cols-4 xl:grid-cols-8">
        <Stat label="Market cap">{formatUsd(token.marketCapUsd)}</Stat>
        <Stat label="All-time high">{formatUsd(token.athMarketCapUsd)}</Stat>
        <Stat label="Liquidity">{formatUsd(token.liquidityUsd)}</Stat>
        <Stat label="Volume 24h">{formatUsd(token.volumeUsd24h)}</Stat>
        <Stat label="Buys / sells 24h">
          <span className="text-up">{formatCount(token.buys24h)}</span>
          <span className="text-faint"> / </span>
          <span className="text-down">{formatCount(token.sells24h)}</span>
        </Stat>
        <Stat label="Holders">{formatCount(token.holderCount)}</Stat>
        <Stat label="Top 10 hold" title="Share of the supply, without curve, pool and burn addresses">
          {formatPercent(token.top10Pct)}
        </Stat>
        <Stat label="Creator holds">{formatPercent(token.creatorHeldPct)}</Stat>
      </dl>
    </header>
  )
}
