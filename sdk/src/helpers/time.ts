import { countOf } from './format.ts'

/** `12s`, `5m`, `3h`, `2d`. */
export function formatAge(iso: string | null, now: number): string {
  if (iso === null) return '–'
  const seconds = Math.max(0, Math.floor((now - Date.parse(iso)) / 1_000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h`
  return `${Math.floor(seconds / 86_400)}d`
}

/** `in 5m`, `in 2d 23h`, or `3h ago`. */
export function formatDistance(iso: string, now: number): string {
  const time = Date.parse(iso)
  return time <= now ? `${formatAge(iso, now)} ago` : `in ${formatWait(Math.ceil((time - now) / 1_000))}`
}

/**
 * Time left, never less than there is: people plan by it. From hours on with the next smaller unit, since almost three days are not
 * two.
 */
function formatWait(seconds: number): string {
  if (seconds < 60) return `${seconds}s`
  const minutes = Math.ceil(seconds / 60)
  if (minutes < 60) return `${minutes}m`
  if (minutes < 24 * 60) return joinUnits(Math.floor(minutes / 60), 'h', minutes % 60, 'm')
  const hours = Math.ceil(minutes / 60)
  return joinUnits(Math.floor(hours / 24), 'd', hours % 24, 'h')
}

const joinUnits = (large: number, largeUnit: string, small: number, smallUnit: string) =>
  small === 0 ? `${large}${largeUnit}` : `${large}${largeUnit} ${small}${smallUnit}`

const UNITS = [
  { seconds: 86_400, name: 'day' },
  { seconds: 3_600, name: 'hour' },
  { seconds: 60, name: 'minute' },
  { seconds: 1, name: 'second' },
] as const

/** `1 day`, `36 hours`, `no time`: in the largest unit that says it exactly. */
export function formatDuration(seconds: number): string {
  if (seconds <= 0) return 'no time'
  const unit = UNITS.find((one) => seconds % one.seconds === 0) ?? UNITS[3]
  return countOf(seconds / unit.seconds, unit.name)
}
