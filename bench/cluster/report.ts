import { cpus, totalmem } from 'node:os'
import type { CommandResult } from './commands.ts'
import { WEIGHTS } from './operations.ts'
import type { EngineResult } from './result.ts'
import { components } from './verdict.ts'

const whole = (value: number) => Math.round(value).toLocaleString('en')

export function describeMachine(): string {
  const [first] = cpus()
  return `${cpus().length} cores (${first?.model ?? 'unknown'}), ${whole(totalmem() / 2 ** 30)} GB, Node ${process.version}, everything on this machine`
}

/** Requests a second of all operations. */
function rateOf({ load }: Pick<EngineResult, 'load'>): number {
  return Object.values(load.operations).reduce((sum, { answers }) => sum + answers, 0) / load.seconds
}

export function printResult(result: EngineResult): void {
  const { engine, fillSeconds, distributeSeconds, trades, tokens, load, lag, sockets, cores, sizes } = result
  const used = components.map((name) => `${name} ${cores[name].toFixed(2)}`)
  const line = (name: string, text: string) => console.log(`  ${name.padEnd(16)}${text}`)
  const rate = rateOf(result)
  const failures = Object.values(load.operations).reduce((sum, one) => sum + one.failures, 0)
  console.log(`\n${engine}: ${whole(tokens)} tokens, ${whole(trades)} trades`)
  line('fill', `${whole(fillSeconds)} s, ${whole(trades / fillSeconds)} trades/s, by the indexer`)
  if (distributeSeconds !== null) line('distribute', `${whole(distributeSeconds)} s`)
  line(
    'reads',
    `${whole(rate)}/s; ${whole(rate / cpus().length)}/s per core of the machine, ${whole(rate / cores.API)}/s per core of the API`,
  )
  line('5xx', whole(failures))
  line('indexer', `lag median ${lag.median}, most ${lag.most} blocks of a second`)
  line(
    'messages',
    `${whole(sockets.messages)}; delay p50 ${sockets.p50}, p99 ${sockets.p99}, most ${sockets.max} ms; ${sockets.breaks} sockets closed`,
  )
  line('processors', `${used.join(', ')}; other programs ${result.otherCores.toFixed(2)}`)
  console.log(
    `\n  ${'operation'.padEnd(16)}${['weight', 'answers', 'p50 ms', 'p99 ms', 'max ms', '5xx'].map((head) => head.padStart(10)).join('')}`,
  )
  for (const [name, { answers, p50, p99, max, failures }] of Object.entries(load.operations)) {
    const figures = [
      WEIGHTS[name as keyof typeof WEIGHTS],
      whole(answers),
      p50.toFixed(1),
      p99.toFixed(1),
      max.toFixed(0),
      failures,
    ]
    line(name, figures.map((figure) => String(figure).padStart(10)).join(''))
  }
  if (result.unexpected !== null) console.log(`  Other than 200, for example: ${result.unexpected}`)
  console.log('')
  for (const name of ['audit', 'reindex'] as const) line(name, describeCommand(result[name]))
  console.log(`\n  ${'table'.padEnd(24)}${['rows', 'MB', 'bytes/row'].map((head) => head.padStart(14)).join('')}`)
  for (const { name, rows, bytes } of sizes.slice(0, 16)) {
    const figures = [whole(rows), (bytes / 1e6).toFixed(1), whole(bytes / rows)]
    console.log(`  ${name.padEnd(24)}${figures.map((figure) => figure.padStart(14)).join('')}`)
  }
  printVerdict(result)
}

function describeCommand({ seconds, isComplete, last }: CommandResult): string {
  return isComplete
    ? `${seconds.toFixed(1)} s: ${last}`
    : `ended after ${seconds.toFixed(0)} s at: ${last || 'its start'}`
}

function printVerdict({ saturations, cores }: EngineResult): void {
  const [first, ...others] = saturations
  const busiest = components.toSorted((a, b) => cores[b] - cores[a])[0]!
  if (!first) console.log(`\nNothing was saturated; the largest user of processors was ${busiest}.`)
  else {
    const { what, second, rate, connections } = first
    console.log(
      `\nFirst to be saturated: ${what} (second ${second}, ${connections} connections, ${whole(rate)} reads/s). ` +
        `The largest user of processors was ${busiest}.`,
    )
  }
  for (const { what, second } of others) console.log(`  then, in second ${second}: ${what}`)
}
