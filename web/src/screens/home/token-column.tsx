import { useTokens } from '@slipway/sdk/react'
import { ScrollRegion } from '../../components/scroll-region.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import type { Sort } from '../../data/tokens.ts'
import { TokenCard } from './token-card.tsx'

interface Props {
  sort: Sort
  title: string
  empty: string
}

export function TokenColumn({ sort, title, empty }: Props) {
  const query = useTokens({ sort, limit: 8 })
  const { items: tokens } = query
  return (
    <section aria-labelledby={`column-${sort}`} className="panel flex min-w-0 flex-col">
      <h2 id={`column-${sort}`} className="border-b border-line px-3.5 py-2.5 font-bold">
        {title}
      </h2>
      <ScrollRegion label={`Tokens: ${title}`} className="max-h-[25.5rem] min-h-56 overflow-y-auto">
        <QueryState query={query} loading={<SkeletonRows count={6} className="h-14" />}>
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
