import { formatUsd } from '@slipway/sdk/helpers'
import { type Coin, useCoin } from '../../data/config.tsx'

interface Day {
  date: string
  profit: { native: string; usd: number | null }
}

const DAY_MS = 86_400_000
/** Bars that are wide enough to be told apart on a phone. */
const MAX_DAYS = 90
/** A few days are no wider than bars of a chart. */
const MIN_DAYS = 14
const HEIGHT = 64
const BAR = 10
/** A day with a small profit is still seen. */
const MIN_BAR = 1.5

const formatDay = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' })
const nameOf = ({ date }: Day) => formatDay.format(Date.parse(date))
/** The heights of bars need no more digits than a float has. */
const sizeOf = ({ profit: { usd, native } }: Day) => usd ?? Number(native)

/** A profit of each day, in UTC, up or down from a line. Missing days are gaps. */
export function ProfitByDay({ name, days }: { name: string; days: readonly Day[] }) {
  const coin = useCoin()
  const last = days.at(-1)
  if (!last || days.length < 2) return null
  const dayOf = ({ date }: Day) => Math.round((Date.parse(date) - Date.parse(last.date)) / DAY_MS) + MAX_DAYS - 1
  const shown = days.filter((day) => dayOf(day) >= 0)
  const start = Math.min(MAX_DAYS - MIN_DAYS, ...shown.map(dayOf))
  const high = Math.max(0, ...shown.map(sizeOf))
  const low = Math.min(0, ...shown.map(sizeOf))
  const scale = (HEIGHT - 2 * MIN_BAR) / (high - low || 1)
  const zero = MIN_BAR + high * scale
  const width = (MAX_DAYS - start) * BAR
  return (
    <figure className="mt-4">
      <figcaption className="mb-1 text-2xs text-faint">{name} by day</figcaption>
      <svg viewBox={`0 0 ${width} ${HEIGHT}`} preserveAspectRatio="none" className="h-16 w-full" role="img">
        <title>{`${name} by day: ${describe(shown, coin)}`}</title>
        <line x1="0" x2={width} y1={zero} y2={zero} stroke="var(--line-strong)" vectorEffect="non-scaling-stroke" />
        {shown.map((day) => {
          const size = sizeOf(day)
          const height = size === 0 ? 0 : Math.max(MIN_BAR, Math.abs(size) * scale)
          return (
            <rect
              key={day.date}
              x={(dayOf(day) - start) * BAR + 1}
              y={size > 0 ? zero - height : zero}
              width={BAR - 2}
              height={height}
              fill={size > 0 ? 'var(--up)' : 'var(--down)'}
            >
              <title>{`${nameOf(day)}: ${format(day, coin)}`}</title>
            </rect>
          )
        })}
      </svg>
      <div className="flex justify-between text-2xs text-faint" aria-hidden="true">
        <span>{formatDay.format(Date.parse(last.date) - (MAX_DAYS - 1 - start) * DAY_MS)}</span>
        <span>{nameOf(last)}</span>
      </div>
    </figure>
  )
}

const format = ({ profit: { usd, native } }: Day, coin: Coin): string =>
  `${(usd ?? Number(native)) > 0 ? '+' : ''}${usd === null ? coin.format(native) : formatUsd(usd)}`

function describe(days: readonly Day[], coin: Coin): string {
  const sorted = [...days].sort((a, b) => sizeOf(b) - sizeOf(a))
  const [best, worst] = [sorted[0] as Day, sorted.at(-1) as Day]
  return `best ${nameOf(best)} with ${format(best, coin)}, worst ${nameOf(worst)} with ${format(worst, coin)}`
}
