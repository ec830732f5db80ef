import type { LoadReport } from './client.ts'
import type { Footprint } from './stack.ts'

export interface Sample extends Footprint, LoadReport {
  minute: number
}

const MB = 2 ** 20
/** Tolerated share of 503 responses: a busy machine fills bounded queues. */
const OVERLOADED_PART = 0.001
const RATE_PART = 0.95

const columns = ['min', 'RSS MB', 'children', 'heap MB', 'external', 'late p99', 'most ms', 'cpu %', 'fds'].concat(
  ...['req/s', 'p50 ms', 'p99 ms', '5xx', 'sockets', 'msgs/s', 'replays', 'breaks'],
)
const row = (cells: readonly (string | number)[]) => console.log(cells.map((cell) => String(cell).padStart(9)).join(''))

export function printHead(): void {
  row(columns)
}

let before = { minute: 0, cpu: Number.NaN }

export function printMinute(sample: Sample): void {
  const { rss, children, heap, external, lateP99, lateMost, minute, cpu, descriptors } = sample
  const busy = Number.isNaN(before.cpu) ? '' : Math.round((100 * (cpu - before.cpu)) / ((minute - before.minute) * 60))
  before = { minute, cpu }
  row([
    ...[minute.toFixed(1), ...[rss, children, heap, external].map((bytes) => Math.round(bytes / MB))],
    ...[Math.round(lateP99), Math.round(lateMost), busy, descriptors],
    ...[Math.round(sample.answers / sample.seconds), sample.p50.toFixed(1), Math.round(sample.p99), sample.failures],
    ...[sample.sockets, Math.round(sample.messages / sample.seconds), sample.replays, sample.breaks],
  ])
  for (const line of sample.surprises) console.log(`          ${line}`)
}

/** The slope of the least-squares line through the points. */
function slope(points: readonly (readonly [x: number, y: number])[]): number {
  const [meanX, meanY] = [0, 1].map((at) => points.reduce((sum, point) => sum + point[at as 0 | 1], 0) / points.length)
  const top = points.reduce((sum, [x, y]) => sum + (x - meanX!) * (y - meanY!), 0)
  return top / points.reduce((sum, [x]) => sum + (x - meanX!) ** 2, 0)
}

interface Terms {
  warmUp: number
  rate: number
  growth: number
}

/** Prints the verdict. Returns true if every limit was met, undefined if there is none. */
export function judge(samples: readonly Sample[], { warmUp, rate, growth }: Terms): boolean | undefined {
  const counted = samples.filter(({ minute }) => minute > warmUp)
  if (counted.length < 3) {
    console.log('Too short for a verdict, which takes three minutes after the warm-up')
    return undefined
  }
  const verdicts = (['rss', 'heap', 'external', 'children'] as const).map((name) => {
    const values = counted.map((sample) => sample[name] / MB)
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length
    const perHour = slope(counted.map(({ minute }, at) => [minute / 60, values[at]!]))
    // Only the total is judged, because memory moves between the parts of a process.
    const judged = name === 'rss'
    const flat = perHour <= (mean * growth) / 100
    const range = `${Math.round(Math.min(...values))}-${Math.round(Math.max(...values))} MB`
    const sign = perHour < 0 ? '-' : '+'
    const result = judged ? (flat ? 'flat' : 'GROWS') : ''
    console.log(`${name.padEnd(9)} ${range}, ${sign}${Math.abs(perHour).toFixed(1)} MB an hour   ${result}`)
    return !judged || flat
  })
  const sum = (name: 'answers' | 'failures' | 'overloaded' | 'seconds' | 'messages') =>
    counted.reduce((total, sample) => total + sample[name], 0)
  const reached = sum('answers') / sum('seconds')
  const met = reached >= rate * RATE_PART
  console.log(
    `answers   ${sum('answers')}, ${reached.toFixed(0)} a second of ${rate}   ${met ? 'reached' : 'NOT REACHED'}`,
  )
  const patient = sum('overloaded') <= sum('answers') * OVERLOADED_PART
  const sound = sum('failures') === 0
  console.log(
    `failures  ${sum('failures')} (5xx or none), 503 with Retry-After ${sum('overloaded')}   ${sound && patient ? 'none' : 'TOO MANY'}`,
  )
  console.log(`messages  ${sum('messages')} to sockets`)
  return verdicts.every(Boolean) && met && sound && patient
}
