import { formatCount, formatPercent, formatPrice, formatUsd } from '@slipway/sdk/helpers'
import { Link } from '@tanstack/react-router'
import { Age, Change, Flash, Progress } from '../../components/figures.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { type Column, Titled } from '../../components/table.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import type { Sort, Token } from '../../data/tokens.ts'

const right = { align: 'right' } as const

/** Columns of the token table, the most important ones first to stay. `sort` is that of the list; null while one searches. */
export function listColumns(coin: string, sort: Sort | null): readonly Column<Token>[] {
  const sortedBy = (name: Sort) => ({ isSorted: name === sort })
  return [
    {
      label: 'Token',
      isFlexible: true,
      cell: (token) => (
        <Titled
          image={<TokenImage {...token} className="size-9" />}
          title={
            <Link
              to="/token/$address"
              params={{ address: token.address }}
              title={token.name}
              className="font-semibold after:absolute after:inset-0"
            >
              {token.name}
            </Link>
          }
          note={
            <>
              {token.symbolTakenBefore && <span className="text-warn">taken before · </span>}
              {token.symbol}
            </>
          }
        />
      ),
    },
    { label: 'Price', ...right, cell: (token) => <Price token={token} coin={coin} /> },
    { label: '5m', ...right, from: '7xl', cell: ({ priceChangePct }) => <Change percent={priceChangePct.m5} /> },
    { label: '1h', ...right, from: '3xl', cell: ({ priceChangePct }) => <Change percent={priceChangePct.h1} /> },
    { label: '24h', ...right, cell: ({ priceChangePct }) => <Change percent={priceChangePct.h24} /> },
    {
      label: 'Market cap',
      ...right,
      from: 'md',
      ...sortedBy('mcap'),
      cell: ({ marketCapUsd }) => <Flash value={marketCapUsd}>{formatUsd(marketCapUsd)}</Flash>,
    },
    {
      label: 'Volume 24h',
      ...right,
      from: 'xl',
      ...sortedBy('volume'),
      cell: ({ volumeUsd24h }) => formatUsd(volumeUsd24h),
    },
    { label: 'Traders', ...right, from: '6xl', cell: ({ traders24h }) => formatCount(traders24h) },
    { label: 'Holders', ...right, from: '6xl', cell: ({ holderCount }) => formatCount(holderCount) },
    { label: 'Progress', from: '5xl', ...sortedBy('curve'), cell: (token) => <CurveProgress token={token} /> },
    {
      label: 'Age',
      ...right,
      from: '2xl',
      className: 'text-muted',
      ...sortedBy('newest'),
      cell: ({ createdAt }) => <Age iso={createdAt} />,
    },
    { label: 'Last 24h', from: '4xl', cell: ({ address }) => <Sparkline address={address} /> },
  ]
}

function Price({ token, coin }: { token: Token; coin: string }) {
  const price = token.priceUsd ?? (token.priceNative === null ? null : Number(token.priceNative))
  return (
    <Flash value={price} className="font-semibold">
      {token.priceUsd === null ? `${formatPrice(price)} ${coin}` : `$${formatPrice(price)}`}
    </Flash>
  )
}

function CurveProgress({ token: { status, symbol, progressPct } }: { token: Token }) {
  if (status === 'graduated') return <span className="text-xs font-semibold text-up">Graduated</span>
  return (
    <span className="flex items-center gap-2">
      <Progress percent={progressPct} label={`Curve of ${symbol}`} className="w-16" />
      <span className="text-xs text-muted">{formatPercent(progressPct, 0)}</span>
    </span>
  )
}
