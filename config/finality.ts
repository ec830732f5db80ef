import { check } from './variables.ts'

/** When a block is final: so many blocks or seconds below the head, or where the node's `finalized` tag says. */
export type FinalityRule =
  | { readonly unit: 'blocks' | 'seconds'; readonly amount: number }
  | { readonly unit: 'finalized'; readonly amount: null }

/** Since the merge no reorg on mainnet was deeper than 7 slots; 12 adds a margin at little delay. */
export const DEFAULT_FINALITY = '12'
export const MAX_FINALITY_BLOCKS = 10_000
const MAX_FINALITY_SECONDS = 604_800

export const finalityForms = `blocks from 0 to ${MAX_FINALITY_BLOCKS}, seconds from 1s to ${MAX_FINALITY_SECONDS}s, or finalized`

export function readFinality(raw: string): FinalityRule {
  if (raw === 'finalized') return { unit: 'finalized', amount: null }
  const [, digits = '', seconds] = /^(\d{1,6})(s?)$/.exec(raw) ?? []
  check(digits !== '')
  const amount = Number(digits)
  if (seconds) check(amount >= 1 && amount <= MAX_FINALITY_SECONDS)
  else check(amount <= MAX_FINALITY_BLOCKS)
  return { unit: seconds ? 'seconds' : 'blocks', amount }
}
