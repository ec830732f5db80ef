import { useView } from '@slipway/sdk/react-views'
import { ScrollRegion } from '../../components/scroll-region.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { ChangeNote, TokenCard } from './token-card.tsx'

interface Props {
  view: 'new' | 'graduating' | 'graduated'
  title: string
  empty: string
}

/** A column shows whole cards only: its height is a multiple of theirs, and scrolling ends at one. */
export function TokenColumn({ view, title, empty }: Props) {
  const query = useView(view)
  const { items: tokens } = query
  return (
    <section aria-labelledby={`column-${view}`} className="panel flex min-w-0 flex-col">
      <div className="flex items-baseline justify-between gap-3 border-b border-line px-3.5 py-2.5">
        <h2 id={`column-${view}`} className="font-bold">
          {title}
        </h2>
        <ChangeNote />
      </div>
      <ScrollRegion
        label={`Tokens: ${title}`}
        className="max-h-[calc(4*var(--card))] min-h-[calc(2*var(--card))] snap-y snap-mandatory overflow-y-auto lg:max-h-[calc(5*var(--card))]"
      >
        <QueryState query={query} loading={<SkeletonRows count={4} className="h-[calc(var(--card)-0.75rem)]" />}>
          {() =>
            tokens.length === 0 ? (
              <Empty icon="rocket" title={empty} />
            ) : (
              <ul>
                {tokens.map((token) => (
                  <TokenCard key={token.address} token={token} />
                ))}
              </ul>
            )
          }
        </QueryState>
      </ScrollRegion>
    </section>
  )
}
