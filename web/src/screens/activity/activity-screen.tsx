import { useFeed } from '@slipway/sdk/react'
import { useEffect } from 'react'
import { ConnectPrompt } from '../../components/connect-prompt.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { Choice } from '../../components/tabs.tsx'
import { learnNames } from '../../data/names.ts'
import { useUrlChoice } from '../../data/url-state.ts'
import { useTitle } from '../../lib/use-title.ts'
import { useSession } from '../../wallet/session.tsx'
import { ActivityItem } from './activity-item.tsx'

const SCOPES = [
  { id: 'all', label: 'Everyone' },
  { id: 'following', label: 'Following' },
] as const

type Scope = (typeof SCOPES)[number]['id']

export function ActivityScreen() {
  useTitle('Activity')
  const [scope, setScope] = useUrlChoice('scope', SCOPES, 'all')
  const { isSignedIn } = useSession()
  return (
    <div className="mx-auto max-w-3xl">
      <PageTitle title="Activity">
        <Choice label="Whose activity" options={SCOPES} selected={scope} onSelect={setScope} />
      </PageTitle>
      {scope === 'following' && !isSignedIn ? (
        <ConnectPrompt purpose="Whom you follow belongs to a wallet." />
      ) : (
        // Each has its own pages.
        <ActivityList key={scope} scope={scope} />
      )}
    </div>
  )
}

function ActivityList({ scope }: { scope: Scope }) {
  const query = useFeed({ scope, limit: 50 })
  const { items } = query
  useEffect(() => learnNames(items.map(({ actor }) => actor)), [items])
  return (
    <section className="panel" aria-label="Activity">
      <QueryState query={query} loading={<SkeletonRows count={8} />}>
        {() =>
          items.length === 0 ? (
            <Empty icon="users" title="Nothing yet">
              {scope === 'all'
                ? 'Launches, graduations, comments and large trades appear here.'
                : 'Follow traders and creators on their profiles: what they do appears here.'}
            </Empty>
          ) : (
            <ul>
              {items.map((item) => (
                <ActivityItem key={item.id} item={item} />
              ))}
            </ul>
          )
        }
      </QueryState>
      <ShowMore list={query} />
    </section>
  )
}
