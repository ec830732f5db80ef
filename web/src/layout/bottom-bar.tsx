import { Link } from '@tanstack/react-router'
import { Icon } from '../components/icon.tsx'

/** What traders change between all the time, in reach of a thumb. The menu has the other pages. */
const LINKS = [
  { to: '/', label: 'Market', icon: 'chart' },
  { to: '/activity', label: 'Activity', icon: 'pulse' },
  { to: '/launch', label: 'Launch', icon: 'rocket' },
  { to: '/leaderboard', label: 'Leaderboard', icon: 'crown' },
  { to: '/portfolio', label: 'Portfolio', icon: 'wallet' },
] as const

/** The navigation of phones. --bottom-bar in styles.css is its height. */
export function BottomBar() {
  return (
    <nav
      aria-label="Quick navigation"
      className="fixed inset-x-0 bottom-0 z-20 flex h-(--bottom-bar) border-t border-line bg-surface pb-[env(safe-area-inset-bottom)] sm:hidden"
    >
      {LINKS.map(({ to, label, icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/' }}
          className="grid flex-auto content-center justify-items-center gap-0.5 whitespace-nowrap text-2xs font-semibold text-muted aria-[current=page]:text-accent-ink"
        >
          <Icon name={icon} className="size-5" />
          {label}
        </Link>
      ))}
    </nav>
  )
}
