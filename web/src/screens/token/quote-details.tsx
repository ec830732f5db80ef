import { changeOf, formatAmount, formatChange, formatPercent, formatPrice } from '@slipway/sdk/helpers'
import { useCoin } from '../../data/config.tsx'
import type { Quote, Token } from '../../data/tokens.ts'
import { HIGH_IMPACT_PCT } from './impact-notice.tsx'

interface Props {
  quote: Quote
  token: Token
  /** Another quote is on its way. */
  isOutdated?: boolean
}

/** What a trade yields and costs, as the contracts compute it. */
export function QuoteDetails({ quote, token, isOutdated = false }: Props) {
  const coin = useCoin()
  const [paid, received] = quote.side === 'buy' ? [coin, token] : [token, coin]
  const format = (base: string, { symbol, decimals }: { symbol: string; decimals: number }) =>
    `${formatAmount(base, decimals)} ${symbol}`
  const fees = BigInt(quote.protocolFee) + BigInt(quote.creatorFee)
  const rows: [string, string, string?][] = [
    ['At least', format(quote.minimumOut, received)],
    [
      'Price impact',
      formatPercent(quote.priceImpactPct, 2),
      quote.priceImpactPct >= HIGH_IMPACT_PCT ? 'text-warn font-semibold' : '',
    ],
    [
      'Price after the trade',
      `${formatPriceAfter(quote, token, coin.symbol)} (${formatChange(changeOf(quote.priceBefore, quote.priceAfter))})`,
    ],
    quote.venue === 'pool' ? ['Pool fee', format(quote.poolFee, paid)] : ['Fees', coin.format(fees)],
    ...(quote.refund === '0' ? [] : [['Refund', coin.format(quote.refund)] as [string, string]]),
  ]
  const outdated = isOutdated ? 'text-faint' : ''
  return (
    <div className="rounded-md bg-sunken p-3" aria-live="polite" aria-busy={isOutdated}>
      <div className="flex items-baseline justify-between gap-3">
        <span className="text-xs text-muted">{isOutdated ? 'Updating…' : 'You receive'}</span>
        <span className={`text-base font-bold ${outdated}`}>{format(quote.amountOut, received)}</span>
      </div>
      <dl className={`mt-2 grid gap-1 text-xs ${outdated}`}>
        {rows.map(([label, value, className = '']) => (
          <div key={label} className="flex justify-between gap-3">
            <dt className="text-faint">{label}</dt>
            <dd className={className}>{value}</dd>
          </div>
        ))}
      </dl>
      {quote.completesCurve && (
        <p className="mt-2 text-xs font-semibold text-accent-ink">
          This buy completes the curve and opens the pool. The launchpad pays you a bounty for the extra network fee.
        </p>
      )}
    </div>
  )
}

/** In US dollars at the token's present rate, as its other prices; else in the coin. */
function formatPriceAfter({ priceAfter }: Quote, { priceUsd, priceNative }: Token, coin: string): string {
  const price = priceAfter === null ? null : Number(priceAfter)
  if (price === null || priceUsd === null || priceNative === null || Number(priceNative) === 0)
    return `${formatPrice(price)} ${coin}`
  return `$${formatPrice((price * priceUsd) / Number(priceNative))}`
}
