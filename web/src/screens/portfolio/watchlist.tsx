import { formatPrice, formatUsd } from '@slipway/sdk/helpers'
import { useList, useSlipway } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { Change } from '../../components/figures.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { type Column, Table, Titled } from '../../components/table.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { useChangeUnit } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'

/** The tokens that the signed-in wallet watches. Nothing without a sign-in, because nobody else sees them. */
export function Watchlist() {
  const { wallet } = useSlipway()
  const changeUnit = useChangeUnit()
  const query = useList(api.watchlists.list.with(), {
    rooms: ['stats'],
    enabled: wallet !== undefined,
    scope: wallet,
    refetchMs: 10_000,
  })
  if (wallet === undefined) return null
  return (
    <section aria-labelledby="watchlist" className="panel">
      <h2 id="watchlist" className="border-b border-line px-4 py-2.5 font-bold">
        Watchlist
      </h2>
      <QueryState query={query} loading={<SkeletonRows count={2} />}>
        {() =>
          query.items.length === 0 ? (
            <Empty icon="star" title="You watch no tokens">
              The star of a token puts it here.
            </Empty>
          ) : (
            <Table
              caption="Watched tokens, the newest entry first"
              columns={listColumns(changeUnit)}
              rows={query.items}
              keyOf={({ address }) => address}
            />
          )
        }
      </QueryState>
      <ShowMore list={query} />
    </section>
  )
}

const listColumns = (changeUnit: string): readonly Column<Token>[] => [
  {
    label: 'Token',
    isFlexible: true,
    cell: (token) => (
      <Titled
        image={<TokenImage {...token} className="size-8" />}
        title={
          <Link
            to="/token/$address"
            params={{ address: token.address }}
            title={token.name}
            className="font-semibold hover:underline"
          >
            <bdi>{token.name}</bdi>
          </Link>
        }
        note={token.symbol}
      />
    ),
  },
  {
    label: 'Price',
    align: 'right',
    from: 'md',
    cell: ({ priceUsd, priceQuote, quote }) =>
      priceUsd === null ? `${formatPrice(Number(priceQuote))} ${quote.symbol}` : `$${formatPrice(priceUsd)}`,
  },
  {
    label: `24h ${changeUnit}`,
    align: 'right',
    cell: ({ priceChangePct }) => <Change percent={priceChangePct.h24} className="font-semibold" />,
  },
  { label: 'Market cap', align: 'right', cell: ({ marketCapUsd }) => formatUsd(marketCapUsd) },
]
