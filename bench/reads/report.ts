export interface PeerFigures {
  rate: number
  p99: number
}

export interface Report {
  title(text: string): void
  /** Requests per second, and their ratio to a peer's, which should be at least `target`. */
  rate(name: string, ours: number, peer: string, theirs: number, target: number): void
  /** Requests per second and the 99th percentile in milliseconds of both sides. */
  peer(name: string, ours: PeerFigures, theirs: PeerFigures, target: number): void
  /** Median on a large and on a small database; their ratio should stay below `limit`. */
  times(name: string, large: number, small: number, limit: number): void
  /** Median and 99th percentile in milliseconds; the latter should stay below `limit`. */
  limit(name: string, p50: number, p99: number, limit: number): void
  /** Resident memory in MB, which should stay below `limit`. */
  memory(name: string, megabytes: number, limit: number): void
}

const whole = (value: number) => Math.round(value).toLocaleString('en').padStart(7)
const verdict = (ok: boolean) => (ok ? 'met' : 'missed')

/** Prints one line per figure, and whether it meets its target. */
export function createReport(print: (line: string) => void): Report {
  const line = (name: string, ...figures: string[]) => print([`  ${name.padEnd(24)}`, ...figures].join('   '))
  return {
    title: (text) => print(`\n${text}`),
    rate: (name, ours, peer, theirs, target) => {
      const ratio = ours / theirs
      const result = `ratio ${ratio.toFixed(2)}, target ${target.toFixed(2)}: ${verdict(ratio >= target)}`
      line(name, `${whole(ours)}/s`, `${peer} ${whole(theirs)}/s`, result)
    },
    peer: (name, ours, theirs, target) => {
      const side = ({ rate, p99 }: PeerFigures) => `${whole(rate)}/s p99 ${p99.toFixed(1).padStart(6)} ms`
      const ratio = ours.rate / theirs.rate
      const result = `ratio ${ratio.toFixed(1)}, target ${target}: ${verdict(ratio >= target)}`
      line(name, side(ours), `Ponder ${side(theirs)}`, result)
    },
    times: (name, large, small, limit) => {
      const ratio = large / small
      const result = `ratio ${ratio.toFixed(2)}, limit ${limit.toFixed(2)}: ${verdict(ratio < limit)}`
      line(name, `p50 ${large.toFixed(2)} ms`, `small ${small.toFixed(2)} ms`, result)
    },
    limit: (name, p50, p99, limit) =>
      line(name, `p50 ${p50.toFixed(2)} ms`, `p99 ${p99.toFixed(2)} ms`, `limit ${limit} ms: ${verdict(p99 < limit)}`),
    memory: (name, megabytes, limit) =>
      line(name, `${whole(megabytes)} MB`, `limit ${limit} MB: ${verdict(megabytes < limit)}`),
  }
}
