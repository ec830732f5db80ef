import { Link } from '@tanstack/react-router'
import { Age, Change, Flash, Progress } from '../../components/figures.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { useCoin } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { formatCount, formatPercent, formatPrice, formatUsd } from '../../lib/amounts.ts'

const cell = 'px-3 py-2 text-right'

export function TokenRow({ token }: { token: Token }) {
  const { symbol: coin } = useCoin()
  const price = token.priceUsd ?? (token.priceNative === null ? null : Number(token.priceNative))
  return (
    <tr className="relative border-b border-line/60 last:border-0 hover:bg-raised">
      <th scope="row" className="max-w-0 py-2 pl-3.5 pr-2 text-left font-normal w-full sm:w-[22%]">
        <div className="flex items-center gap-2.5">
          <TokenImage {...token} className="size-9" />
          <div className="min-w-0">
            <Link
              to="/token/$address"
              params={{ address: token.address }}
              className="block truncate font-semibold after:absolute after:inset-0"
            >
              {token.name}
            </Link>
            <span className="block truncate text-xs text-muted">
              {token.symbol}
              {token.symbolTakenBefore && <span className="text-warn"> · taken before</span>}
            </span>
          </div>
        </div>
      </th>
      <td className={cell}>
        <Flash value={price} className="font-semibold">
          {token.priceUsd === null ? `${formatPrice(price)} ${coin}` : `$${formatPrice(price)}`}
        </Flash>
      </td>
      <td className={`${cell} max-lg:hidden`}>
        <Change percent={token.priceChangePct.m5} />
      </td>
      <td className={`${cell} max-md:hidden`}>
        <Change percent={token.priceChangePct.h1} />
      </td>
      <td className={cell}>
        <Change percent={token.priceChangePct.h24} />
      </td>
      <td className={`${cell} max-sm:hidden`}>
        <Flash value={token.marketCapUsd}>{formatUsd(token.marketCapUsd)}</Flash>
      </td>
      <td className={`${cell} max-md:hidden`}>{formatUsd(token.volumeUsd24h)}</td>
      <td className={`${cell} max-lg:hidden`}>{formatCount(token.traders24h)}</td>
      <td className={`${cell} max-lg:hidden`}>{formatCount(token.holderCount)}</td>
      <td className="px-3 py-2 max-md:hidden">
        {token.status === 'graduated' ? (
          <span className="text-xs font-semibold text-up">Graduated</span>
        ) : (
          <span className="flex items-center gap-2">
            <Progress percent={token.progressPct} label={`Curve of ${token.symbol}`} className="w-16" />
            <span className="text-xs text-muted">{formatPercent(token.progressPct, 0)}</span>
          </span>
        )}
      </td>
      <td className={`${cell} text-muted max-sm:hidden`}>
        <Age iso={token.createdAt} />
      </td>
      <td className="px-3 py-1 max-sm:hidden">
        <Sparkline address={token.address} />
      </td>
    </tr>
  )
}
