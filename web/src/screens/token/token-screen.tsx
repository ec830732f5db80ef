import { formatCount, formatUsd } from '@slipway/sdk/helpers'
import { useToken } from '@slipway/sdk/react'
import { useParams } from '@tanstack/react-router'
import { useRef } from 'react'
import { isMissing, MARKET_LINKS, Missing } from '../../components/missing.tsx'
import { Failure, SkeletonPart, SkeletonRows } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import type { Token } from '../../data/tokens.ts'
import { useUrlChoice } from '../../data/url-state.ts'
import { useInstantPrices } from '../../data/use-instant-prices.ts'
import { useListedToken } from '../../data/use-listed-token.ts'
import { useTitle } from '../../lib/use-title.ts'
import { ChartPanel } from './chart-panel.tsx'
import { Comments } from './comments.tsx'
import { CreatorPanel } from './creator-panel.tsx'
import { CurvePanel } from './curve-panel.tsx'
import { FeesPanel } from './fees-panel.tsx'
import { FirstBuyerList } from './first-buyer-list.tsx'
import { HolderList } from './holder-list.tsx'
import { PositionPanel } from './position-panel.tsx'
import { RiskPanel } from './risk-panel.tsx'
import { TokenAbout } from './token-about.tsx'
import { TokenHeader } from './token-header.tsx'
import { TopTraderList } from './top-trader-list.tsx'
import { TradeBar } from './trade-bar.tsx'
import { TradeList } from './trade-list.tsx'
import { TradeSection } from './trade-section.tsx'

export function TokenScreen() {
  const { address: given } = useParams({ from: '/token/$address' })
  const address = given.toLowerCase()
  const { data, error, refetch } = useToken(address)
  const listed = useListedToken(address)
  const token = data ?? (error ? undefined : listed)
  useInstantPrices()
  useTitle(token ? `${token.symbol} ${formatUsd(token.marketCapUsd)}` : undefined)
  if (token) return <TokenPage key={address} token={token} />
  if (isMissing(error))
    return (
      <Missing title="There is no such token" links={MARKET_LINKS}>
        No token with the address <span className="font-mono">{given}</span> was launched here.
      </Missing>
    )
  if (error) return <Failure error={error} retry={() => void refetch()} />
  return <Loading />
}

const TABS = [{ id: 'trades' }, { id: 'holders' }, { id: 'first' }, { id: 'top' }] as const

/**
 * On wide screens two columns, whose rows do not depend on each other: only the second row of the grid stretches. Each part is
 * rendered once, so that what was typed stays when the width changes.
 */
function TokenPage({ token }: { token: Token }) {
  const [tab, setTab] = useUrlChoice('tab', TABS, 'trades')
  const panel = useRef<HTMLDivElement>(null)
  return (
    <div className="grid gap-4 max-lg:pb-16 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr_auto]">
      <div className="grid min-w-0 content-start gap-4 lg:row-span-2">
        <TokenHeader token={token} />
        <ChartPanel token={token} />
      </div>
      <aside className="grid min-w-0 content-start gap-4 lg:col-start-2 lg:row-start-1" aria-label="Trade">
        <div ref={panel}>
          <TradeSection token={token} />
        </div>
        <PositionPanel token={token} />
        <FeesPanel token={token} />
      </aside>
      <div className="grid min-w-0 content-start gap-4 lg:col-start-1 lg:row-start-3">
        <section className="panel min-w-0" aria-label="Trades and traders">
          <Tabs
            label="Trades and traders"
            tabs={[
              { id: 'trades', label: 'Trades' },
              { id: 'holders', label: `Holders (${formatCount(token.holderCount)})` },
              { id: 'first', label: 'First buyers' },
              { id: 'top', label: 'Top traders' },
            ]}
            selected={tab}
            onSelect={setTab}
          >
            {tab === 'trades' && <TradeList token={token} />}
            {tab === 'holders' && <HolderList token={token} />}
            {tab === 'first' && <FirstBuyerList token={token} />}
            {tab === 'top' && <TopTraderList token={token} />}
          </Tabs>
        </section>
        <Comments token={token} />
      </div>
      <aside
        className="grid min-w-0 content-start gap-4 lg:col-start-2 lg:row-span-2 lg:row-start-2"
        aria-label="Curve and details"
      >
        <CurvePanel token={token} />
        <RiskPanel risk={token.risk} />
        <CreatorPanel token={token} />
        <TokenAbout token={token} />
      </aside>
      <TradeBar token={token} panel={panel} />
    </div>
  )
}

function Loading() {
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]" aria-busy="true">
      <h1 className="sr-only">Loading the token…</h1>
      <div className="grid content-start gap-4">
        <SkeletonPart className="h-24 rounded-lg" />
        <SkeletonPart className="h-[27rem] rounded-lg" />
        <div className="panel">
          <SkeletonRows count={6} />
        </div>
      </div>
      <div className="grid content-start gap-4">
        <SkeletonPart className="h-80 rounded-lg" />
        <SkeletonPart className="h-40 rounded-lg" />
      </div>
    </div>
  )
}
