import type { FilledChain } from './fill.ts'
import type { PonderMeasured } from './ponder.ts'
import type { Measured } from './slipway.ts'

export type Target = 'postgres' | 'pglite'

const NAMES: Record<Target, string> = { postgres: 'PostgreSQL', pglite: 'PGlite' }

export function printSlipway(target: Target, measured: Measured, withStatements: boolean): void {
  const { fetchMs, applyMs, sqlMs, cpuMs, maxRssMb, batches } = measured
  console.log(
    `Slipway into ${NAMES[target]}: ${rate(measured)} trades/s (${seconds(measured.ms)}; fetching ${seconds(fetchMs)}, ` +
      `applying ${seconds(applyMs)} of which SQL ${seconds(sqlMs)}, processor ${seconds(cpuMs)}, ` +
      `${maxRssMb} MB, ${batches} batches)`,
  )
  if (!withStatements) return
  for (const { text, calls, ms } of measured.statements.slice(0, 25)) {
    console.log(`  ${ms.toFixed(0).padStart(6)} ms ${String(calls).padStart(5)} x  ${text}`)
  }
}

export function printPonder(target: Target, measured: PonderMeasured): void {
  console.log(
    `Ponder into ${NAMES[target]}: ${rate(measured)} trades/s (${seconds(measured.ms)}; ` +
      `${seconds(measured.totalMs)} from its start until it is ready)`,
  )
}

/** Prints the medians and their ratio. Fails if the stored trades differ between indexers or from the chain. */
export function printRatio(
  target: Target,
  filled: FilledChain,
  ours: readonly Measured[],
  theirs: readonly PonderMeasured[],
): void {
  for (const { trades } of [...ours, ...theirs]) {
    if (trades !== filled.trades) throw new Error(`${trades} trades were written, the chain holds ${filled.trades}`)
  }
  if (new Set([...ours, ...theirs].map(({ quoteSum }) => quoteSum)).size > 1) {
    throw new Error('The trades that were written differ in their amounts')
  }
  const own = median(ours)
  console.log(`\n${NAMES[target]}, median of ${ours.length}`)
  console.log(`  Slipway  ${rate(own)} trades/s, with all figures`)
  if (theirs.length === 0) return
  const peer = median(theirs)
  console.log(`  Ponder   ${rate(peer)} trades/s, trades alone`)
  console.log(`  ratio    ${(peer.ms / own.ms).toFixed(2)}\n`)
}

function median<T extends { ms: number }>(measured: readonly T[]): T {
  const sorted = measured.toSorted((a, b) => a.ms - b.ms)
  return sorted[Math.floor((sorted.length - 1) / 2)]!
}

function rate({ trades, ms }: { trades: number; ms: number }): string {
  return Math.round((trades * 1_000) / ms)
    .toLocaleString('en')
    .padStart(7)
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(2)} s`
}
