export { type Balances, readBalances, readGasPrice } from './balances.ts'
export {
  type Candle,
  type CandleHistory,
  type CandleOptions,
  createCandleHistory,
  iterateCandles,
} from './candles.ts'
export {
  changeOf,
  countOf,
  directionOf,
  formatAmount,
  formatChange,
  formatCount,
  formatPercent,
  formatPrice,
  formatPriceTicks,
  formatShare,
  formatUsd,
  toNumber,
} from './format.ts'
export { createNames, type Named, type Names, type NamesOptions } from './names.ts'
export { type Position, readPosition, toPosition } from './position.ts'
export { type Currency, type ReadAmount, readAmount } from './read-amount.ts'
export { type KeepSessionOptions, keepSession, type TokenStorage } from './session.ts'
export { formatAge, formatDistance, formatDuration } from './time.ts'
