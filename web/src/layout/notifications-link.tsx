import { useNotifications } from '@slipway/sdk/react'
import { Link } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'
import { useSession } from '../wallet/session.tsx'

export function NotificationsLink() {
  const { isSignedIn } = useSession()
  const { unreadCount: count } = useNotifications()
  if (!isSignedIn) return null
  const shown = count > 99 ? '99+' : count
  return (
    <Link
      to="/notifications"
      aria-label={count > 0 ? `Notifications, ${shown} unread` : 'Notifications'}
      className="relative rounded-md p-2 text-muted hover:bg-raised hover:text-ink"
    >
      <Icon name="bell" />
      {count > 0 && (
        <span
          aria-hidden="true"
          className="absolute -right-0.5 top-0 min-w-4 rounded-full bg-accent px-1 text-center text-[10px] font-bold leading-4 text-on-accent"
        >
          {shown}
        </span>
      )}
    </Link>
  )
}
