import { formatCount, formatPercent } from '@slipway/sdk/helpers'
import type { Token } from '../../data/tokens.ts'

/** How the token was bought at its launch. Lists have no risk, so it appears with the token's own response. */
export function RiskPanel({ risk }: { risk: Token['risk'] }) {
  if (!risk) return null
  const groups = [
    ['Snipers', risk.snipers],
    ['Bundlers', risk.bundlers],
    ['Insiders', risk.insiders],
    ['Fresh wallets', risk.freshWallets],
  ] as const
  return (
    <section aria-labelledby="risk" className="panel p-4">
      <h2 id="risk" className="mb-2 font-bold">
        Launch
      </h2>
      <dl className="grid grid-cols-2 gap-x-4 gap-y-1.5 text-xs">
        {groups.map(([label, { count, pct }]) => (
          <div key={label} className="flex items-center justify-between gap-2">
            <dt className="text-faint">{label}</dt>
            <dd className="text-right">{`${formatCount(count)} · ${formatPercent(pct, 2)}`}</dd>
          </div>
        ))}
        <div className="flex items-center justify-between gap-2">
          <dt className="text-faint">Creator sold</dt>
          <dd className="text-right">{formatPercent(risk.creatorSoldPct, 2)}</dd>
        </div>
        <div className="flex items-center justify-between gap-2">
          <dt className="text-faint">Wash trades</dt>
          <dd className="text-right">{formatPercent(risk.washTradePct, 2)}</dd>
        </div>
      </dl>
    </section>
  )
}
