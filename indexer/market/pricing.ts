import { nativeToUsd, ratioToNumber, usdToNumber } from '../../chain/amounts.ts'
import { validUsdOrNull } from '../../chain/bounds.ts'
import { findRate, powerOfTen, type QuoteAsset, rateToNumber, toNative, toWholeUnits } from '../../chain/rates.ts'
import type { Block } from '../engine/batch.ts'
import type { ModuleContracts } from '../engine/module.ts'
import { DEFAULT_DECIMALS, type Launch } from './registry.ts'

/** The price of one whole token after an event, for display and candles. */
export interface Prices {
  /** In the quote asset. */
  price: number
  /** US dollars; null if unknown. */
  priceUsd: number | null
  /** Native coin: price where the quote asset is the native coin; null if unknown. */
  priceNative: number | null
  /** Whether the quote asset is the native coin. */
  isNative: boolean
  /** Native coin for one whole unit of the quote asset, RATE_DECIMALS decimals; null if unknown, or for the native coin. */
  rateNative: bigint | null
}

/** The value of an amount of the quote asset. */
export interface Value {
  /** US dollars, USD_DECIMALS decimals; null if unknown. */
  valueUsd: bigint | null
  /** Native coin, base units; null if unknown. The amount itself where it is of the native coin. */
  valueNative: bigint | null
}

/** Values of one quote asset at a block. */
interface AssetRates {
  usd: bigint | null
  usdNumber: number | null
  rate: bigint | null
}

/** Values amounts and prices by the rates at one block. */
export class BlockPricing {
  readonly #block: Pick<Block, 'nativeUsd' | 'quotePrices'>
  readonly #quotes: ModuleContracts['quotes']
  readonly #native: AssetRates
  /** The rates of other assets, by address: most blocks need none. */
  #others: Map<string, AssetRates> | undefined

  constructor(block: Pick<Block, 'nativeUsd' | 'quotePrices'>, quotes: ModuleContracts['quotes']) {
    const { nativeUsd: usd } = block
    this.#block = block
    this.#quotes = quotes
    this.#native = { usd, usdNumber: usd === null ? null : usdToNumber(usd), rate: null }
  }

  /** The value of a token's price, a fraction in base units. */
  pricesOf(launch: Pick<Launch, 'quote' | 'decimals'>, quote: bigint, token: bigint): Prices {
    const { usdNumber, rate } = this.ratesOf(launch.quote)
    const isNative = launch.quote === null
    const price = ratioOf(launch, quote, token)
    return {
      price,
      priceUsd: usdNumber === null ? null : price * usdNumber,
      priceNative: isNative ? price : rate === null ? null : price * rateToNumber(rate),
      isNative,
      rateNative: rate,
    }
  }

  valueOf({ quote }: Pick<Launch, 'quote'>, amount: bigint): Value {
    const { usd, rate } = this.ratesOf(quote)
    if (quote === null)
      return { valueUsd: usd === null ? null : validValue(nativeToUsd(amount, usd)), valueNative: amount }
    return {
      valueUsd: usd === null ? null : validValue((amount * usd) / powerOfTen(quote.decimals)),
      valueNative: rate === null ? null : toNative(amount, quote.decimals, rate),
    }
  }

  ratesOf(quote: QuoteAsset | null): AssetRates {
    if (quote === null) return this.#native
    this.#others ??= new Map()
    const known = this.#others.get(quote.address)
    if (known !== undefined) return known
    const { usd, native: rate } = findRate(quote.address, this.#quotes, this.#block)
    const rates = { usd, usdNumber: usd === null ? null : usdToNumber(usd), rate }
    this.#others.set(quote.address, rates)
    return rates
  }
}

const validValue = (usd: bigint): bigint | null => (usd === 0n ? usd : validUsdOrNull(usd))

/** Whole units of the quote asset for one whole token. */
function ratioOf({ quote, decimals }: Pick<Launch, 'quote' | 'decimals'>, paid: bigint, token: bigint): number {
  const quoteDecimals = quote?.decimals ?? DEFAULT_DECIMALS
  if (quoteDecimals === decimals) return ratioToNumber(paid, token)
  const whole = toWholeUnits({ quote: paid, token }, { quote: quoteDecimals, token: decimals })
  return ratioToNumber(whole.quote, whole.token)
}
