import { formatUsd } from '@slipway/sdk/helpers'
import { useCoin } from '../../data/config.tsx'

/** A profit or a loss: colour, sign and arrow say the same. */
export function Profit({ profit }: { profit: { native: string; usd: number | null } }) {
  const coin = useCoin()
  const native = BigInt(profit.native)
  const colour = native > 0n ? 'text-up' : native < 0n ? 'text-down' : 'text-muted'
  const arrow = native > 0n ? '▲' : native < 0n ? '▼' : ''
  const text = profit.usd === null ? coin.format(native) : formatUsd(profit.usd)
  return (
    <span className={`whitespace-nowrap ${colour}`}>
      {arrow && (
        <span aria-hidden="true" className="mr-0.5 text-[0.65em]">
          {arrow}
        </span>
      )}
      {native > 0n ? '+' : ''}
      {text}
    </span>
  )
}
