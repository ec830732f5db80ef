import { formatAmount, formatChange, formatPrice, formatUsd, type Position } from '@slipway/sdk/helpers'
import { Stat } from '../../components/figures.tsx'
import { toCoin } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { usePosition } from '../../data/use-position.ts'
import { useSession } from '../../wallet/session.tsx'
import { Profit } from '../portfolio/profit.tsx'
import { ProfitCardButton } from './profit-card-button.tsx'

/** What the connected wallet has of a token, and what it gained; nothing if it never held any. */
export function PositionPanel({ token }: { token: Token }) {
  const { wallet } = useSession()
  const position = usePosition(token)
  return position && wallet && <Figures token={token} wallet={wallet} position={position} />
}

function Figures({ token, wallet, position }: { token: Token; wallet: string; position: Position }) {
  const { holding, averageEntry } = position
  const gainPct = holding.unrealizedPnl.usd === null ? position.unrealizedPct : position.unrealizedUsdPct
  const coin = toCoin(holding.quote)
  const entry =
    averageEntry === null
      ? '–'
      : averageEntry.usd === null
        ? `${formatPrice(averageEntry.quote)} ${coin.symbol}`
        : `$${formatPrice(averageEntry.usd)}`
  return (
    <section aria-labelledby="position" className="panel p-4">
      <div className="mb-3 flex items-center justify-between">
        <h2 id="position" className="font-bold">
          Your position
        </h2>
        {position.holding.lastTradeAt !== null && <ProfitCardButton token={token} wallet={wallet} />}
      </div>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-3">
        <Stat label="Balance">{formatAmount(holding.balance, token.decimals)}</Stat>
        <Stat label="Value">
          {holding.valueUsd === null ? coin.format(holding.valueQuote) : formatUsd(holding.valueUsd)}
        </Stat>
        <Stat label="Average entry" title="Average cost of a token that you bought, with fees">
          {entry}
        </Stat>
        <Stat label="Unrealized P&L">
          <Profit profit={holding.unrealizedPnl} quote={holding.quote} />
          {gainPct !== null && <span className="ml-1 text-muted">{formatChange(gainPct)}</span>}
        </Stat>
        <Stat label="Realized P&L">
          <Profit profit={holding.realizedPnl} quote={holding.quote} />
        </Stat>
      </dl>
    </section>
  )
}
