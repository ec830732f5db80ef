import { SlipwayError } from '@slipway/sdk'
import { useToken } from '@slipway/sdk/react'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { Empty, Failure, Skeleton, SkeletonRows } from '../../components/states.tsx'
import { Tabs } from '../../components/tabs.tsx'
import type { Token } from '../../data/tokens.ts'
import { useInstantPrices } from '../../data/use-instant-prices.ts'
import { useListedToken } from '../../data/use-listed-token.ts'
import { formatUsd } from '../../lib/amounts.ts'
import { useTitle } from '../../lib/use-title.ts'
import { ChartPanel } from './chart-panel.tsx'
import { Comments } from './comments.tsx'
import { CurvePanel } from './curve-panel.tsx'
import { HolderList } from './holder-list.tsx'
import { TokenAbout } from './token-about.tsx'
import { TokenHeader } from './token-header.tsx'
import { TradeList } from './trade-list.tsx'
import { TradePanel } from './trade-panel.tsx'

export function TokenScreen() {
  const { address: given } = useParams({ from: '/token/$address' })
  const address = given.toLowerCase()
  const { data, error, refetch } = useToken(address)
  const listed = useListedToken(address)
  const token = data ?? (error ? undefined : listed)
  useInstantPrices()
  useTitle(token ? `${token.symbol} ${formatUsd(token.marketCapUsd)}` : undefined)
  if (token) return <TokenPage key={address} token={token} />
  if (error instanceof SlipwayError && (error.status === 404 || error.status === 400))
    return (
      <Empty icon="search" title="There is no such token">
        No token with this address was launched here.
      </Empty>
    )
  if (error) return <Failure error={error} retry={() => void refetch()} />
  return <Loading />
}

function TokenPage({ token }: { token: Token }) {
  const [tab, setTab] = useState<'trades' | 'holders'>('trades')
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
      <div className="grid min-w-0 content-start gap-4">
        <TokenHeader token={token} />
        <ChartPanel token={token} />
        <div className="lg:hidden">
          <TradePanel token={token} />
        </div>
        <section className="panel min-w-0" aria-label="Trades and holders">
          <Tabs
            label="Trades and holders"
            tabs={[
              { id: 'trades', label: 'Trades' },
              { id: 'holders', label: `Holders (${token.holderCount})` },
            ]}
            selected={tab}
            onSelect={setTab}
          >
            {tab === 'trades' ? <TradeList token={token} /> : <HolderList token={token} />}
          </Tabs>
        </section>
        <Comments token={token} />
      </div>
      <aside className="grid min-w-0 content-start gap-4" aria-label="Trade and details">
        <div className="max-lg:hidden">
          <TradePanel token={token} />
        </div>
        <CurvePanel token={token} />
        <TokenAbout token={token} />
      </aside>
    </div>
  )
}

function Loading() {
  return (
    <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]" aria-busy="true">
      <span className="sr-only">Loading the token…</span>
      <div className="grid content-start gap-4">
        <Skeleton className="h-24 rounded-lg" />
        <Skeleton className="h-[27rem] rounded-lg" />
        <div className="panel">
          <SkeletonRows count={6} />
        </div>
      </div>
      <div className="grid content-start gap-4">
        <Skeleton className="h-80 rounded-lg" />
        <Skeleton className="h-40 rounded-lg" />
      </div>
    </div>
  )
}
