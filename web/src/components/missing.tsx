import { SlipwayError } from '@slipway/sdk'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useTitle } from '../lib/use-title.ts'
import { buttonClass } from './button.tsx'
import { Empty } from './states.tsx'

/** Whether the service knows no such record, or the URL cannot be the id of one. */
export const isMissing = (error: unknown): boolean =>
  error instanceof SlipwayError && (error.status === 404 || error.status === 400)

interface Way {
  to: '/' | '/launch' | '/leaderboard' | '/raises' | '/raises/new'
  label: string
}

export const MARKET_LINKS: readonly Way[] = [
  { to: '/', label: 'To the market' },
  { to: '/launch', label: 'Launch a token' },
]

/** A page of a record that does not exist, with ways on. */
export function Missing({ title, links, children }: { title: string; links: readonly Way[]; children: ReactNode }) {
  useTitle(title)
  return (
    <section className="panel" aria-label={title}>
      <Empty icon="search" title={title}>
        <p className="wrap-anywhere">{children}</p>
        <p className="mt-1">The search at the top finds tokens and wallets.</p>
        <p className="mt-4 flex flex-wrap justify-center gap-2">
          {links.map(({ to, label }, index) => (
            <Link key={to} to={to} className={buttonClass(index === 0 ? { kind: 'primary' } : {})}>
              {label}
            </Link>
          ))}
        </p>
      </Empty>
    </section>
  )
}
