import { useTokens } from '@slipway/sdk/react'
import { Icon } from '../../components/icon.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, Failure, SkeletonRows } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { Choice } from '../../components/tabs.tsx'
import { useCoin } from '../../data/config.tsx'
import type { Sort, Token } from '../../data/tokens.ts'
import { useUrlChoice, useUrlText } from '../../data/url-state.ts'
import { useSearch } from '../../data/use-search.ts'
import { listColumns } from './token-columns.tsx'

const SORTS: readonly { id: Sort; label: string }[] = [
  { id: 'trending', label: 'Trending' },
  { id: 'mcap', label: 'Market cap' },
  { id: 'volume', label: 'Volume' },
  { id: 'newest', label: 'Newest' },
  { id: 'curve', label: 'Progress' },
  { id: 'graduated', label: 'Graduated' },
]

/** All tokens, sorted by the service; or those that match while one types. */
export function TokenTable() {
  const { symbol: coin } = useCoin()
  const [sort, setSort] = useUrlChoice('sort', SORTS, 'trending')
  const [text, setText] = useUrlText('q')
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
        <Table
          caption="Tokens with their prices and figures of the last day"
          columns={listColumns(coin, isSearch ? null : sort)}
          rows={tokens}
          keyOf={({ address }) => address}
        />
      )}
      {!isSearch && <ShowMore list={list} />}
    </section>
  )
}
