import { useTokens } from '@slipway/sdk/react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { Empty, Failure, SkeletonRows } from '../../components/states.tsx'
import { Choice } from '../../components/tabs.tsx'
import type { Sort, Token } from '../../data/tokens.ts'
import { useSearch } from '../../data/use-search.ts'
import { TokenRow } from './token-row.tsx'

const SORTS: readonly { id: Sort; label: string }[] = [
  { id: 'trending', label: 'Trending' },
  { id: 'mcap', label: 'Market cap' },
  { id: 'volume', label: 'Volume' },
  { id: 'newest', label: 'Newest' },
  { id: 'curve', label: 'Progress' },
  { id: 'graduated', label: 'Graduated' },
]

const headings: readonly [label: string, className: string, sort?: Sort][] = [
  ['Token', 'text-left'],
  ['Price', 'text-right'],
  ['5m', 'text-right max-lg:hidden'],
  ['1h', 'text-right max-md:hidden'],
  ['24h', 'text-right'],
  ['Market cap', 'text-right max-sm:hidden', 'mcap'],
  ['Volume 24h', 'text-right max-md:hidden', 'volume'],
  ['Traders', 'text-right max-lg:hidden'],
  ['Holders', 'text-right max-lg:hidden'],
  ['Progress', 'text-left max-md:hidden', 'curve'],
  ['Age', 'text-right max-sm:hidden', 'newest'],
  ['Last 24h', 'text-left max-sm:hidden'],
]

/** All tokens, sorted by the service; or those that match while one types. */
export function TokenTable() {
  const [sort, setSort] = useState<Sort>('trending')
  const [text, setText] = useState('')
  const list = useTokens({ sort, limit: 25 })
  const found = useSearch(text)
  const { wanted } = found
  const isSearch = wanted !== ''
  const tokens: Token[] | undefined = isSearch ? found.data?.tokens : list.data && list.items
  const error = isSearch ? found.error : list.error
  return (
    <section aria-labelledby="all-tokens" className="panel min-w-0">
      <header className="flex flex-wrap items-center gap-3 border-b border-line px-3.5 py-2.5">
        <h2 id="all-tokens" className="font-bold">
          All tokens
        </h2>
        <div className="relative min-w-40 flex-1 sm:max-w-64">
          <Icon name="search" className="pointer-events-none absolute left-2.5 top-2 size-3.5 text-faint" />
          <input
            type="search"
            aria-label="Filter by name, symbol or address"
            placeholder="Name, symbol or address"
            value={text}
            maxLength={64}
            onChange={(event) => setText(event.target.value)}
            className="field h-8 py-1 pl-8"
          />
        </div>
        <div className="max-w-full overflow-x-auto sm:ml-auto">
          <Choice label="Order" options={SORTS} selected={sort} onSelect={setSort} />
        </div>
      </header>
      {tokens === undefined && error && <Failure error={error} retry={() => void list.refetch()} />}
      {tokens === undefined && !error && <SkeletonRows count={10} />}
      {tokens?.length === 0 && (
        <Empty icon="search" title={isSearch ? `Nothing is called “${wanted}”` : 'There are no tokens here yet'} />
      )}
      {tokens !== undefined && tokens.length > 0 && (
        <table className="w-full">
          <caption className="sr-only">Tokens with their prices and figures of the last day</caption>
          <thead>
            <tr className="border-b border-line text-2xs text-faint">
              {headings.map(([label, className, column]) => (
                <th
                  key={label}
                  scope="col"
                  {...(column === sort && !isSearch && { 'aria-sort': 'descending' as const })}
                  className={`px-3 py-2 font-semibold first:pl-3.5 ${className}`}
                >
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {tokens.map((token) => (
              <TokenRow key={token.address} token={token} />
            ))}
          </tbody>
        </table>
      )}
      {!isSearch && list.hasNextPage && (
        <div className="border-t border-line p-3 text-center">
          <Button disabled={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
            {list.isFetchingNextPage ? 'Loading…' : 'Show more'}
          </Button>
        </div>
      )}
    </section>
  )
}
