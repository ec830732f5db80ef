export interface History {
  s: string
  t: number[]
  o: number[]
  h: number[]
  l: number[]
  c: number[]
  v: number[]
  nextTime?: number
}
/** The protocol's rules of an answer with bars. */
export function findProblems(
  { s, t: times, o, h, l, c, v }: History,
  { from, to }: { from: number; to: number },
): string[] {
  const problems: string[] = []
  if (s !== 'ok') problems.push(`status ${s}`)
  if (times.length === 0) problems.push('ok, and no bar')
  if ([o, h, l, c, v].some((column) => column.length !== times.length)) problems.push('columns of other lengths')
  for (const [at, time] of times.entries()) {
    const [open, high, low, close] = [o[at], h[at], l[at], c[at]] as [number, number, number, number]
    if (at > 0 && time <= (times[at - 1] as number)) problems.push(`${time} does not rise`)
    if (time < from || time > to) problems.push(`${time} is out of range`)
    if (low > Math.min(open, close) || high < Math.max(open, close)) problems.push(`range of ${time}`)
    if (![open, high, low, close].every((price) => Number.isFinite(price) && price > 0))
      problems.push(`price of ${time}`)
    if (!Number.isFinite(v[at]) || (v[at] as number) < 0) problems.push(`volume of ${time}`)
  }
  return problems
}
