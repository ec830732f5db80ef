import type { Schema } from '@slipway/sdk'
import { useLive } from '@slipway/sdk/react'
import { useMatchRoute } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { Icon } from '../components/icon.tsx'
import { useFailures } from '../data/failures.ts'
import { groupNotifications } from '../data/group-notifications.ts'
import { NotificationImage, NotificationText } from '../screens/notifications/notification-text.tsx'
import { useSession } from '../wallet/session.tsx'
import { PendingTransactions } from './pending-transactions.tsx'

type Notification = Schema<'Notification'>

const SHOWN_MS = 8_000
const MAX_SHOWN = 3
/** Come by the dozen where a token is traded: the number at the bell is enough. */
const FREQUENT: ReadonlySet<Notification['type']> = new Set(['trade_on_my_token', 'token_like', 'comment_like'])

/** Shows notifications of the signed-in wallet for some seconds, when they arrive. */
export function Toasts() {
  const { wallet, isSignedIn } = useSession()
  const isOnPage = Boolean(useMatchRoute()({ to: '/notifications' }))
  const [items, setItems] = useState<readonly Notification[]>([])
  const dismiss = (gone: readonly Notification[]) => setItems((all) => all.filter((one) => !gone.includes(one)))
  useLive(isSignedIn ? `wallet:${wallet}` : null, (message) => {
    if (message.type !== 'notification' || FREQUENT.has(message.data.type)) return
    const { data } = message
    setItems((all) => [data, ...all.filter(({ id }) => id !== data.id)])
  })
  const [newest] = items
  // The time begins again with each that arrives, so that all can be read.
  useEffect(() => {
    if (newest === undefined) return
    const timer = setTimeout(() => setItems([]), SHOWN_MS)
    return () => clearTimeout(timer)
  }, [newest])
  const groups = isOnPage ? [] : groupNotifications(items).slice(0, MAX_SHOWN)
  return (
    <div className="pointer-events-none fixed inset-x-3 top-28 z-30 grid justify-items-end gap-2 sm:top-18">
      <PendingTransactions />
      <section aria-label="New notifications" aria-live="polite" className="contents">
        <Failures />
        {groups.map((group) => (
          <div
            key={group.all.at(-1)?.id}
            className="panel enter pointer-events-auto flex w-full items-start gap-3 p-3 shadow-(--shadow) sm:w-88"
          >
            <NotificationImage group={group} />
            <div className="min-w-0 flex-1">
              <NotificationText group={group} />
            </div>
            <DismissButton onClick={() => dismiss(group.all)} />
          </div>
        ))}
      </section>
    </div>
  )
}

/** What failed without a form that says so. */
function Failures() {
  const { texts, dismiss } = useFailures()
  return texts.map((text) => (
    <div
      key={text}
      role="alert"
      className="panel enter pointer-events-auto flex w-full items-start gap-3 border-down p-3 shadow-(--shadow) sm:w-88"
    >
      <p className="min-w-0 flex-1">{text}</p>
      <DismissButton onClick={() => dismiss(text)} />
    </div>
  ))
}

const DismissButton = ({ onClick }: { onClick(): void }) => (
  <button type="button" aria-label="Dismiss" onClick={onClick} className="p-1 text-faint hover:text-ink">
    <Icon name="close" />
  </button>
)
