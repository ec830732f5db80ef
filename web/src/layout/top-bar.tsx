import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { buttonClass } from '../components/button.tsx'
import { Icon } from '../components/icon.tsx'
import { useConfig } from '../data/config.tsx'
import { useSession } from '../wallet/session.tsx'
import { NotificationsLink } from './notifications-link.tsx'
import { SearchBox } from './search-box.tsx'
import { SocketDot } from './socket-dot.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { WalletButton } from './wallet-button.tsx'

const LINKS = [
  { to: '/', label: 'Market' },
  { to: '/activity', label: 'Activity' },
  { to: '/raises', label: 'Raises' },
  { to: '/staking', label: 'Staking' },
  { to: '/leaderboard', label: 'Leaderboard' },
  { to: '/portfolio', label: 'Portfolio' },
] as const

const linkClass =
  'rounded-md px-2.5 py-1.5 font-semibold text-muted hover:text-ink aria-[current=page]:bg-raised aria-[current=page]:text-ink'

function NavLinks({ onFollow }: { onFollow?: () => void }) {
  const { identity } = useSession()
  return (
    <>
      {LINKS.map(({ to, label }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === '/' }}
          className={linkClass}
          {...(onFollow && { onClick: onFollow })}
        >
          {label}
        </Link>
      ))}
      {(identity?.isAdmin || identity?.isLabs) && (
        <Link to="/operator" className={linkClass} {...(onFollow && { onClick: onFollow })}>
          Operator
        </Link>
      )}
    </>
  )
}

export function TopBar() {
  const { brand } = useConfig()
  const [isOpen, setOpen] = useState(false)
  return (
    <header className="border-b border-line bg-canvas/95 backdrop-blur">
      <div className="mx-auto flex min-h-14 max-w-[1560px] flex-wrap items-center gap-2 px-3 py-2 sm:gap-3 sm:px-5">
        <Link to="/" className="flex shrink-0 items-center gap-2 text-base font-bold tracking-tight max-sm:mr-auto">
          <img src={`${import.meta.env.BASE_URL}icon.svg`} alt="" className="size-7" />
          <span className="hidden sm:inline">{brand.name}</span>
          <span className="sr-only sm:hidden">{brand.name}</span>
        </Link>
        <nav aria-label="Main" className="hidden items-center gap-0.5 lg:flex">
          <NavLinks />
        </nav>
        <SearchBox />
        <Link to="/launch" className={`${buttonClass({ kind: 'primary' })} max-sm:hidden`}>
          <Icon name="rocket" />
          Launch
        </Link>
        <SocketDot />
        <div className="hidden sm:block">
          <ThemeSwitch />
        </div>
        <NotificationsLink />
        <WalletButton />
        <button
          type="button"
          aria-label="Menu"
          aria-expanded={isOpen}
          aria-controls="menu"
          onClick={() => setOpen(!isOpen)}
          className="rounded-md p-2 text-muted hover:bg-raised hover:text-ink lg:hidden"
        >
          <Icon name={isOpen ? 'close' : 'menu'} />
        </button>
      </div>
      {isOpen && (
        <nav id="menu" aria-label="Menu" className="enter flex flex-col gap-1 border-t border-line px-3 py-3 lg:hidden">
          <NavLinks onFollow={() => setOpen(false)} />
          <Link to="/launch" className={linkClass} onClick={() => setOpen(false)}>
            Launch a token
          </Link>
          <div className="sm:hidden">
            <ThemeSwitch />
          </div>
        </nav>
      )}
    </header>
  )
}
