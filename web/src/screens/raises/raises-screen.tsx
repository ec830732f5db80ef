import { countOf, formatDistance } from '@slipway/sdk/helpers'
import { useRaises } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { Badge } from '../../components/badges.tsx'
import { buttonClass } from '../../components/button.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonPart } from '../../components/states.tsx'
import { Choice } from '../../components/tabs.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useUrlChoice } from '../../data/url-state.ts'
import { useNow } from '../../lib/time.ts'
import { useTitle } from '../../lib/use-title.ts'
import { RaiseProgress } from './raise-progress.tsx'
import { type Raise, RaiseStatus } from './raise-status.tsx'

const FILTERS = [
  { id: 'all', label: 'All' },
  { id: 'active', label: 'Open' },
  { id: 'registration', label: 'Registration' },
  { id: 'upcoming', label: 'Upcoming' },
  { id: 'finalized', label: 'Finalized' },
] as const

export function RaisesScreen() {
  useTitle('Raises')
  const [filter, setFilter] = useUrlChoice('status', FILTERS, 'all')
  const query = useRaises({ limit: 24, ...(filter !== 'all' && { status: filter }) })
  return (
    <>
      <PageTitle title="Raises">
        <div className="flex max-w-full flex-wrap items-center gap-2">
          <div className="max-w-full overflow-x-auto">
            <Choice label="Status" options={FILTERS} selected={filter} onSelect={setFilter} />
          </div>
          <Link to="/raises/new" className={buttonClass({ kind: 'primary' })}>
            New raise
          </Link>
        </div>
      </PageTitle>
      <QueryState query={query} loading={<Loading />}>
        {() =>
          query.items.length === 0 ? (
            <div className="panel">
              <Empty icon="users" title="There are no such raises" />
            </div>
          ) : (
            <ul className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3">
              {query.items.map((raise) => (
                <RaiseCard key={raise.id} raise={raise} />
              ))}
            </ul>
          )
        }
      </QueryState>
      <ShowMore list={query} />
    </>
  )
}

function Loading() {
  return (
    <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-3" aria-busy="true">
      <span className="sr-only">Loading the raises…</span>
      {['a', 'b', 'c', 'd', 'e', 'f'].map((key) => (
        <SkeletonPart key={key} className="h-52 rounded-lg" />
      ))}
    </div>
  )
}

function RaiseCard({ raise }: { raise: Raise }) {
  const now = useNow()
  const next = raise.status === 'upcoming' || raise.status === 'registration' ? raise.startAt : raise.endAt
  const verb = next === raise.startAt ? 'Starts' : Date.parse(raise.endAt) > now ? 'Ends' : 'Ended'
  return (
    <li className="panel relative flex flex-col gap-3 p-4 hover:border-line-strong">
      <div className="flex items-start gap-3">
        <TokenImage
          address={raise.token}
          symbol={raise.tokenSymbol ?? '?'}
          imageUrl={raise.imageUrl}
          className="size-11"
        />
        <div className="min-w-0 flex-1">
          <h2 className="truncate font-bold">
            <Link to="/raises/$id" params={{ id: raise.id }} className="after:absolute after:inset-0">
              <bdi>{raise.title}</bdi>
            </Link>
          </h2>
          <p className="truncate text-xs text-muted">
            <bdi>{raise.tokenName ?? 'Unknown token'}</bdi> by{' '}
            <WalletName wallet={raise.creator} className="relative" />
          </p>
        </div>
        <span className="flex flex-col items-end gap-1">
          <RaiseStatus status={raise.status} />
          {raise.featured && <Badge tone="accent">Featured</Badge>}
        </span>
      </div>
      {raise.description && (
        <p dir="auto" className="line-clamp-2 text-muted">
          {raise.description}
        </p>
      )}
      <div className="mt-auto grid gap-1.5">
        <RaiseProgress raise={raise} />
        <div className="flex justify-between gap-3 text-xs text-faint">
          <span>{countOf(raise.participantCount, 'wallet')}</span>
          <span>
            {raise.cancelledAt
              ? `Cancelled ${formatDistance(raise.cancelledAt, now)}`
              : `${verb} ${formatDistance(next, now)}`}
          </span>
        </div>
      </div>
    </li>
  )
}
