import { COIN } from '../../data/config.tsx'
import type { Quote, Token } from '../../data/tokens.ts'
import { formatAmount, formatPercent } from '../../lib/amounts.ts'

/** What a trade yields and costs, as the contracts compute it. */
export function QuoteDetails({ quote, token }: { quote: Quote; token: Token }) {
  const [unit, decimals] = quote.side === 'buy' ? [token.symbol, token.decimals] : [COIN.symbol, COIN.decimals]
  const fees = BigInt(quote.protocolFee) + BigInt(quote.creatorFee)
  const poolUnit = quote.side === 'buy' ? COIN.symbol : token.symbol
  const rows: [string, string, string?][] = [
    ['At least', `${formatAmount(quote.minimumOut, decimals)} ${unit}`],
    [
      'Price impact',
      formatPercent(quote.priceImpactPct, 2),
      quote.priceImpactPct >= 5 ? 'text-warn font-semibold' : '',
    ],
    quote.venue === 'pool'
      ? ['Pool fee', `${formatAmount(quote.poolFee)} ${poolUnit}`]
      : ['Fees', `${formatAmount(fees)} ${COIN.symbol}`],
    ...(quote.refund === '0' ? [] : [['Refund', `${formatAmount(quote.refund)} ${COIN.symbol}`] as [string, string]]),
  ]
  return (
    <div className="rounded-md bg-sunken p-3" aria-live="polite">
      <div className="flex items-baseline justify-between gap-3">
        <span className="text-xs text-muted">You receive</span>
        <span className="text-base font-bold">
          {formatAmount(quote.amountOut, decimals)} {unit}
        </span>
      </div>
      <dl className="mt-2 grid gap-1 text-xs">
        {rows.map(([label, value, className = '']) => (
          <div key={label} className="flex justify-between gap-3">
            <dt className="text-faint">{label}</dt>
            <dd className={className}>{value}</dd>
          </div>
        ))}
      </dl>
      {quote.completesCurve && (
        <p className="mt-2 text-xs font-semibold text-accent-ink">This buy completes the curve.</p>
      )}
    </div>
  )
}
