import { readFieldProblem } from '@slipway/sdk'
import { countOf, formatCount } from '@slipway/sdk/helpers'
import { useTokens } from '@slipway/sdk/react'
import { Button } from '../../components/button.tsx'
import { Icon } from '../../components/icon.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, Failure, SkeletonRows } from '../../components/states.tsx'
import { Table } from '../../components/table.tsx'
import { Choice } from '../../components/tabs.tsx'
import { useChangeUnit } from '../../data/config.tsx'
import { labelOf, type TokenQuery } from '../../data/token-filters.ts'
import { SORTS, type Token } from '../../data/tokens.ts'
import { useUrlChoice, useUrlText } from '../../data/url-state.ts'
import { useSearch } from '../../data/use-search.ts'
import { useTokenFilters } from '../../data/use-token-filters.ts'
import { useTokenOrder } from '../../data/use-token-order.ts'
import { useSession } from '../../wallet/session.tsx'
import { FilterBar } from './filters/filter-bar.tsx'
import { ChangeNote, TokenCard } from './token-card.tsx'
import { listColumns } from './token-columns.tsx'

const VIEWS = [
  { id: 'table', label: 'Table' },
  { id: 'cards', label: 'Cards' },
] as const

/** All tokens, filtered and sorted by the service; or those that match while one types. */
export function TokenTable() {
  const { wallet } = useSession()
  const order = useTokenOrder()
  const { sort, direction } = order
  const [view, setView] = useUrlChoice('view', VIEWS, 'table')
  const [text, setText] = useUrlText('q')
  const state = useTokenFilters()
  // The service validates them, since anything may be in the URL.
  const list = useTokens({ sort, direction, limit: 25, ...(state.filters as TokenQuery) })
  const found = useSearch(text)
  const changeUnit = useChangeUnit()
  const { wanted } = found
  const isSearch = wanted !== ''
  const isFiltered = Object.keys(state.filters).length > 0
  const tokens: Token[] | undefined = isSearch ? found.data?.tokens : list.data && list.items
  const error = isSearch ? found.failure : list.error
  const problem = readFieldProblem(list.error)
  const total = list.data?.pages[0]?.total
  return (
    <section aria-labelledby="all-tokens" className="panel min-w-0">
      <FilterBar
        state={state}
        sort={sort}
        problem={problem}
        found={total === undefined ? null : countOf(total, 'token')}
        after={
          <div className="flex max-w-full flex-wrap gap-2 sm:ml-auto">
            <div className="max-w-full overflow-x-auto">
              <Choice label="Order" options={SORTS} selected={sort} onSelect={order.select} />
            </div>
            <Choice label="View" options={VIEWS} selected={view} onSelect={setView} />
          </div>
        }
      >
        <h2 id="all-tokens" className="font-bold">
          All tokens{' '}
          {total !== undefined && !isSearch && <span className="font-normal text-muted">({formatCount(total)})</span>}
        </h2>
        <div className="relative min-w-32 flex-1 sm:max-w-64">
          <Icon name="search" className="pointer-events-none absolute left-2.5 top-2 size-3.5 text-faint" />
          <input
            type="search"
            dir="auto"
            aria-label="Filter by name, symbol or address"
            placeholder="Find a token"
            value={text}
            maxLength={64}
            onChange={(event) => setText(event.target.value)}
            className="field h-8 py-1 pl-8"
          />
        </div>
      </FilterBar>
      {isSearch && isFiltered && (
        <p className="border-b border-line px-3.5 py-2 text-xs text-muted">
          The search finds all tokens: filters do not apply to it.
        </p>
      )}
      {tokens === undefined && error && !(problem && !isSearch) && (
        <Failure error={error} retry={() => void (isSearch ? found : list).refetch()} />
      )}
      {tokens === undefined && problem && !isSearch && (
        <Empty icon="filter" title="A filter is not accepted">
          <p role="alert" className="mb-4">
            {labelOf(problem.field)}: {problem.problem}
          </p>
          <Button onClick={state.clear}>Clear all filters</Button>
        </Empty>
      )}
      {tokens === undefined && !error && <SkeletonRows count={10} />}
      {tokens?.length === 0 && isFiltered && !isSearch && (
        <Empty icon="filter" title="No token matches these filters">
          <Button onClick={state.clear}>Clear all filters</Button>
        </Empty>
      )}
      {tokens?.length === 0 && !(isFiltered && !isSearch) && (
        <Empty icon="search" title={isSearch ? `Nothing is called “${wanted}”` : 'There are no tokens here yet'} />
      )}
      {tokens !== undefined && tokens.length > 0 && view === 'table' && (
        <Table
          caption="Tokens with their prices and figures of the last day"
          columns={listColumns({ order: isSearch ? null : order, canBuy: wallet !== null, changeUnit })}
          rows={tokens}
          keyOf={({ address }) => address}
        />
      )}
      {tokens !== undefined && tokens.length > 0 && view === 'cards' && (
        <>
          <p className="border-b border-line/70 px-3.5 py-1.5 text-right">
            <ChangeNote />
          </p>
          <ul aria-label="Tokens" className="grid sm:grid-cols-2 xl:grid-cols-3">
            {tokens.map((token) => (
              <TokenCard key={token.address} token={token} />
            ))}
          </ul>
        </>
      )}
      {!isSearch && <ShowMore list={list} />}
    </section>
  )
}
