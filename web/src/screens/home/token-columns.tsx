import { formatCount, formatPercent, formatPrice, formatUsd } from '@slipway/sdk/helpers'
import { Link } from '@tanstack/react-router'
import { Age, Change, Flash, Progress } from '../../components/figures.tsx'
import { Sparkline } from '../../components/sparkline.tsx'
import { type Column, Titled } from '../../components/table.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { useLaunchpadName } from '../../data/config.tsx'
import type { Sort, Token } from '../../data/tokens.ts'
import { QuickBuyButton } from './quick-buy/quick-buy.tsx'

const right = { align: 'right' } as const

function Note({ token }: { token: Token }) {
  const launchpad = useLaunchpadName(token)
  return (
    <>
      {token.symbolTakenBefore && <span className="text-warn">taken before · </span>}
      <bdi>{token.symbol}</bdi>
      {launchpad !== null && ` · ${launchpad}`}
    </>
  )
}

interface Settings {
  /** That of the list; null while one searches. */
  order: { sort: Sort; direction: 'asc' | 'desc'; toggle(sort: Sort): void } | null
  /** Whether rows have a button that buys. */
  canBuy: boolean
  changeUnit: string
}

/** Columns of the token table, the most important ones first to stay. */
export function listColumns({ order, canBuy, changeUnit }: Settings): readonly Column<Token>[] {
  const sortedBy = (name: Sort) =>
    order && {
      sort: () => order.toggle(name),
      sorted:
        name !== order.sort ? undefined : order.direction === 'asc' ? ('ascending' as const) : ('descending' as const),
    }
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
              <bdi>{token.name}</bdi>
            </Link>
          }
          note={<Note token={token} />}
        />
      ),
    },
    { label: 'Price', ...right, cell: (token) => <Price token={token} /> },
    {
      label: `5m ${changeUnit}`,
      ...right,
      from: '7xl',
      cell: ({ priceChangePct }) => <Change percent={priceChangePct.m5} />,
    },
    {
      label: `1h ${changeUnit}`,
      ...right,
      from: '3xl',
      cell: ({ priceChangePct }) => <Change percent={priceChangePct.h1} />,
    },
    {
      label: `24h ${changeUnit}`,
      ...right,
      ...sortedBy('change'),
      cell: ({ priceChangePct }) => <Change percent={priceChangePct.h24} />,
    },
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
    {
      label: 'Liquidity',
      ...right,
      from: '7xl',
      ...sortedBy('liquidity'),
      cell: ({ liquidityUsd }) => formatUsd(liquidityUsd),
    },
    { label: 'Traders', ...right, from: '6xl', cell: ({ traders24h }) => formatCount(traders24h) },
    {
      label: 'Holders',
      ...right,
      from: '6xl',
      ...sortedBy('holders'),
      cell: ({ holderCount }) => formatCount(holderCount),
    },
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
    ...(canBuy
      ? [{ label: 'Buy', ...right, from: 'md' as const, cell: (token: Token) => <QuickBuyButton token={token} /> }]
      : []),
  ]
}

function Price({ token }: { token: Token }) {
  const price = token.priceUsd ?? (token.priceQuote === null ? null : Number(token.priceQuote))
  return (
    <Flash value={price} className="font-semibold">
      {token.priceUsd === null ? `${formatPrice(price)} ${token.quote.symbol}` : `$${formatPrice(price)}`}
    </Flash>
  )
}

function CurveProgress({ token: { status, lifecycle, symbol, progressPct } }: { token: Token }) {
  if (lifecycle === 'direct') return <span className="text-xs font-semibold text-up">In its pool</span>
  if (status === 'graduated') return <span className="text-xs font-semibold text-up">Graduated</span>
  return (
    <span className="flex items-center gap-2">
      <Progress percent={progressPct} label={`Curve of ${symbol}`} className="w-16" />
      <span className="text-xs text-muted">{formatPercent(progressPct, 0)}</span>
    </span>
  )
}
