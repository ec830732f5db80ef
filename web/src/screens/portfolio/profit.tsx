import type { Schema } from '@slipway/sdk'
import { formatUsd } from '@slipway/sdk/helpers'
import { toCoin, useCoin } from '../../data/config.tsx'

interface ProfitProps {
  /** The profit of a token also has its amount in the quote asset. */
  profit: { usd: number | null } & ({ native: string | null; quote: string } | { native: string })
  /** The asset of that amount. */
  quote?: Schema<'QuoteAsset'>
}

/** A profit or a loss: colour, sign and arrow say the same. */
export function Profit({ profit, quote }: ProfitProps) {
  const native = useCoin()
  const coin = quote ? toCoin(quote) : native
  const amount = 'quote' in profit ? profit.quote : profit.native
  // At the prices of their times, a gain in coins may be a loss in US dollars: the sign is that of the shown figure.
  const shown = profit.usd ?? Number(amount)
  const colour = shown > 0 ? 'text-up' : shown < 0 ? 'text-down' : 'text-muted'
  const arrow = shown > 0 ? '▲' : shown < 0 ? '▼' : ''
  const text = profit.usd === null ? coin.format(amount) : formatUsd(profit.usd)
  return (
    <span className={`whitespace-nowrap ${colour}`}>
      {arrow && (
        <span aria-hidden="true" className="mr-0.5 text-[0.65em]">
          {arrow}
        </span>
      )}
      {shown > 0 ? '+' : ''}
      {text}
    </span>
  )
}
