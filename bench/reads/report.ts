export interface Report {
  title(text: string): void
  rate(name: string, ours: number, peer: string, theirs: number, aim: number): void
  times(name: string, large: number, small: number, aim: number): void
  limit(name: string, p50: number, p99: number, aim: number): void
}

const whole = (value: number) => Math.round(value).toLocaleString('en').padStart(7)
const verdict = (ok: boolean) => (ok ? 'held' : 'missed')

/** Prints one line per figure, and whether it meets its target. */
export function createReport(print: (line: string) => void): Report {
  const line = (name: string, ...figures: string[]) => print([`  ${name.padEnd(24)}`, ...figures].join('   '))
  return {
    title: (text) => print(`\n${text}`),
    rate: (name, ours, peer, theirs, aim) => {
      const ratio = ours / theirs
      const aimed = `ratio ${ratio.toFixed(2)}, aim ${aim.toFixed(2)}: ${verdict(ratio >= aim)}`
      line(name, `${whole(ours)}/s`, `${peer} ${whole(theirs)}/s`, aimed)
    },
    times: (name, large, small, aim) => {
      const ratio = large / small
      const aimed = `ratio ${ratio.toFixed(2)}, limit ${aim.toFixed(2)}: ${verdict(ratio < aim)}`
      line(name, `p50 ${large.toFixed(2)} ms`, `small ${small.toFixed(2)} ms`, aimed)
    },
    limit: (name, p50, p99, aim) =>
      line(name, `p50 ${p50.toFixed(2)} ms`, `p99 ${p99.toFixed(2)} ms`, `limit ${aim} ms: ${verdict(p99 < aim)}`),
  }
}
