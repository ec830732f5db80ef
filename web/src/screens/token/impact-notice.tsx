import { changeOf, formatChange, formatPercent } from '@slipway/sdk/helpers'
import { Notice } from '../../components/states.tsx'
import type { Quote } from '../../data/tokens.ts'

/** Above this, a trade is worth a second thought. */
export const HIGH_IMPACT_PCT = 5
/** Above this, a trade is most likely a mistake. */
const EXTREME_IMPACT_PCT = 15

/** What a trade does to the price, if that is much. */
export function ImpactNotice({ quote }: { quote: Quote }) {
  const { side, priceImpactPct, priceBefore, priceAfter } = quote
  if (priceImpactPct < HIGH_IMPACT_PCT) return null
  const isExtreme = priceImpactPct > EXTREME_IMPACT_PCT
  return (
    <Notice tone={isExtreme ? 'bad' : 'warn'}>
      {isExtreme && (
        <strong className="block text-down">
          Price impact of {formatPercent(priceImpactPct)}. Trade a smaller amount.
        </strong>
      )}
      This trade moves the price by {formatChange(changeOf(priceBefore, priceAfter))}. On average you{' '}
      {side === 'buy' ? 'pay' : 'get'} {formatPercent(priceImpactPct)} {side === 'buy' ? 'more' : 'less'} than the price
      now.
    </Notice>
  )
}
