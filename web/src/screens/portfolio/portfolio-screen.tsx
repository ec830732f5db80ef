import { usePortfolio } from '@slipway/sdk/react'
import { ConnectPrompt } from '../../components/connect-prompt.tsx'
import { PageTitle } from '../../components/page-title.tsx'
import { QueryState, Skeleton, SkeletonRows } from '../../components/states.tsx'
import { useTitle } from '../../lib/use-title.ts'
import { useSession } from '../../wallet/session.tsx'
import { TradingStats } from '../profile/trading-stats.tsx'
import { Alerts } from './alerts.tsx'
import { CommitmentList, StakeList } from './commitments-and-stakes.tsx'
import { CreationList } from './creation-list.tsx'
import { HoldingList } from './holding-list.tsx'
import { PortfolioSummary } from './portfolio-summary.tsx'
import { TransactionList } from './transaction-list.tsx'
import { Watchlist } from './watchlist.tsx'

export function PortfolioScreen() {
  useTitle('Portfolio')
  const { wallet } = useSession()
  if (!wallet) return <ConnectPrompt purpose="See what it holds, what it gained, and which fees it can claim." />
  return <WalletPortfolio wallet={wallet} />
}

function WalletPortfolio({ wallet }: { wallet: string }) {
  const query = usePortfolio(wallet)
  return (
    <>
      <PageTitle title="Portfolio" />
      <QueryState query={query} loading={<Loading />}>
        {(portfolio) => (
          <div className="grid gap-4">
            <PortfolioSummary portfolio={portfolio} />
            <HoldingList portfolio={portfolio} />
            <TradingStats wallet={wallet} />
            <Watchlist />
            <Alerts />
            <CreationList title="Launched tokens" portfolio={portfolio} rows={portfolio.created} />
            <CreationList title="Fees of other tokens" portfolio={portfolio} rows={portfolio.feeShares} />
            <div className="grid gap-4 lg:grid-cols-2">
              <StakeList portfolio={portfolio} />
              <CommitmentList portfolio={portfolio} />
            </div>
            <TransactionList wallet={wallet} />
          </div>
        )}
      </QueryState>
    </>
  )
}

function Loading() {
  return (
    <div className="grid gap-4">
      <Skeleton className="h-24 rounded-lg" />
      <div className="panel">
        <SkeletonRows count={6} />
      </div>
    </div>
  )
}
