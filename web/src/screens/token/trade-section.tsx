import { Notice } from '../../components/states.tsx'
import { useCanTrade } from '../../data/config.tsx'
import type { Token } from '../../data/tokens.ts'
import { TradePanel } from './trade-panel.tsx'

/** Trades with a token, if this service can quote its launchpad. */
export function TradeSection({ token }: { token: Token }) {
  const { name } = token.launchpad
  if (useCanTrade(token)) return <TradePanel token={token} />
  return (
    <section aria-label={`Trade ${token.symbol}`} className="panel p-4">
      <Notice tone="info">
        <bdi>{token.symbol}</bdi> is traded on {name}. Its trades, chart and holders are shown here as they happen.
      </Notice>
    </section>
  )
}
