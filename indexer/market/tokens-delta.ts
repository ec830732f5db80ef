import { addTurnover, makeTurnover, type Turnover } from './turnover.ts'

/** What tokens add to the figures of the platform, or of their launchpad. */
export interface TokensDelta {
  total: Turnover
  h24: Turnover
  protocolFees: { total: bigint; h24: bigint }
  creatorFees: { total: bigint; h24: bigint }
  tokens: number
  graduated: number
}

export const makeTokensDelta = (): TokensDelta => ({
  total: makeTurnover(),
  h24: makeTurnover(),
  protocolFees: { total: 0n, h24: 0n },
  creatorFees: { total: 0n, h24: 0n },
  tokens: 0,
  graduated: 0,
})

export function addTokensDelta(to: TokensDelta, what: TokensDelta): void {
  for (const window of ['total', 'h24'] as const) {
    addTurnover(to[window], what[window])
    to.protocolFees[window] += what.protocolFees[window]
    to.creatorFees[window] += what.creatorFees[window]
  }
  to.tokens += what.tokens
  to.graduated += what.graduated
}
