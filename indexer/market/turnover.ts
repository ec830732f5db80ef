/** Totals of trades. volume in base units of the native coin, 0 where its value is unknown; volumeUsd with USD_DECIMALS decimals. */
export interface Turnover {
  trades: number
  volume: bigint
  volumeUsd: bigint
}

export const makeTurnover = (): Turnover => ({ trades: 0, volume: 0n, volumeUsd: 0n })

export function addTurnover(to: Turnover, what: Turnover): void {
  to.trades += what.trades
  to.volume += what.volume
  to.volumeUsd += what.volumeUsd
}
