import { useNotifications } from '@slipway/sdk/react'
import { useEffect } from 'react'
import { Button } from '../../components/button.tsx'
import { ConnectPrompt } from '../../components/connect-prompt.tsx'
import { Age } from '../../components/figures.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { showFailure } from '../../data/failures.ts'
import { groupNotifications, type NotificationGroup } from '../../data/group-notifications.ts'
import { learnNames } from '../../data/names.ts'
import { useTitle } from '../../lib/use-title.ts'
import { useSession } from '../../wallet/session.tsx'
import { NotificationImage, NotificationText } from './notification-text.tsx'

export function NotificationsScreen() {
  useTitle('Notifications')
  const { isSignedIn } = useSession()
  const query = useNotifications({ limit: 50 })
  const { items, unreadCount, markRead } = query
  useEffect(() => learnNames(items.map(({ actor }) => actor)), [items])
  if (!isSignedIn) return <ConnectPrompt purpose="Notifications belong to a wallet." />
  return (
    <div className="mx-auto max-w-3xl">
      <PageTitle title="Notifications">
        {unreadCount > 0 && (
          <Button size="sm" onClick={() => void markRead().catch(showFailure)}>
            Mark all as read
          </Button>
        )}
      </PageTitle>
      <section className="panel" aria-label="Notifications">
        <QueryState query={query} loading={<SkeletonRows count={6} />}>
          {() =>
            items.length === 0 ? (
              <Empty icon="bell" title="Nothing yet">
                Comments, likes, followers and trades of your tokens appear here.
              </Empty>
            ) : (
              <ul>
                {groupNotifications(items).map((group) => (
                  // The oldest of a group is not the newest of another.
                  <Item key={group.all.at(-1)?.id} group={group} />
                ))}
              </ul>
            )
          }
        </QueryState>
        <ShowMore list={query} />
      </section>
    </div>
  )
}

function Item({ group }: { group: NotificationGroup }) {
  const { createdAt, readAt } = group.newest
  return (
    <li
      className={`flex items-start gap-3 border-b border-line/60 px-4 py-3 last:border-0 ${readAt ? '' : 'bg-accent-soft/40'}`}
    >
      <NotificationImage group={group} />
      <div className="min-w-0 flex-1">
        <NotificationText group={group} />
        <Age iso={createdAt} className="text-xs text-faint" />
        {!readAt && <span className="ml-2 text-2xs font-semibold text-accent-ink">New</span>}
      </div>
    </li>
  )
}
