import { directionOf, formatAge, formatChange } from '@slipway/sdk/helpers'
import { useEffect, useRef, useState } from 'react'
import { formatTime, useNow } from '../lib/time.ts'

const colours = { up: 'text-up', down: 'text-down', flat: 'text-muted' } as const
const arrows = { up: '▲', down: '▼', flat: '' } as const

/** A change in percent: colour, arrow and sign say the same. */
export function Change({ percent, className = '' }: { percent: number | null; className?: string }) {
  const direction = directionOf(percent)
  return (
    <span className={`whitespace-nowrap ${colours[direction]} ${className}`}>
      {arrows[direction] && (
        <span aria-hidden="true" className="mr-0.5 text-[0.65em]">
          {arrows[direction]}
        </span>
      )}
      {formatChange(percent)}
    </span>
  )
}

interface FlashProps {
  value: number | null
  children: string
  className?: string
}

/** Text that flashes once in the direction of each change of its value. */
export function Flash({ value, children, className = '' }: FlashProps) {
  const former = useRef(value)
  const [change, setChange] = useState<{ count: number; direction: 'up' | 'down' } | null>(null)
  useEffect(() => {
    const before = former.current
    former.current = value
    if (value === null || before === null || value === before) return
    setChange((last) => ({ count: (last?.count ?? 0) + 1, direction: value > before ? 'up' : 'down' }))
  }, [value])
  const flash = change ? (change.direction === 'up' ? 'flash-up' : 'flash-down') : ''
  return (
    <span key={change?.count ?? 0} className={`-mx-0.5 whitespace-nowrap rounded px-0.5 ${flash} ${className}`}>
      {children}
    </span>
  )
}

export function Age({ iso, className = '' }: { iso: string | null; className?: string }) {
  const now = useNow()
  return (
    <time
      dateTime={iso ?? undefined}
      title={iso ? formatTime(iso) : undefined}
      className={`whitespace-nowrap ${className}`}
    >
      {formatAge(iso, now)}
    </time>
  )
}

/** Progress of a curve or a raise, in percent. */
export function Progress({ percent, label, className = '' }: { percent: number; label: string; className?: string }) {
  const width = Math.min(100, Math.max(0, percent))
  return (
    <div
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={Math.round(width)}
      className={`h-1.5 overflow-hidden rounded-full bg-line ${className}`}
    >
      <div
        className={`h-full rounded-full transition-[width] duration-500 ${width >= 100 ? 'bg-up' : 'bg-accent-ink'}`}
        style={{ width: `${width}%` }}
      />
    </div>
  )
}

/** A label above its figure. */
interface StatProps {
  label: string
  children: React.ReactNode
  /** Such as a symbol, or the address of a token without one: it takes a line of its own where the figure needs the room. */
  unit?: string | null
  title?: string
}

export function Stat({ label, children, unit, title }: StatProps) {
  return (
    <div className="min-w-0" title={title}>
      <dt className="truncate text-2xs text-faint">{label}</dt>
      <dd className={unit ? 'flex flex-wrap gap-x-1 font-semibold' : 'wrap-anywhere font-semibold'}>
        {children}
        {unit && <bdi className="max-w-full truncate">{unit}</bdi>}
      </dd>
    </div>
  )
}
