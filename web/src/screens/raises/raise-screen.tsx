import { SlipwayError } from '@slipway/sdk'
import { useRaise } from '@slipway/sdk/react'
import { Link, useParams } from '@tanstack/react-router'
import { ExternalLink } from '../../components/external-link.tsx'
import { Progress, Stat } from '../../components/figures.tsx'
import { Empty, Failure, Skeleton } from '../../components/states.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useCoin } from '../../data/config.tsx'
import { useRefetchWhenDue } from '../../data/use-refetch-when-due.ts'
import { formatAmount, formatPercent } from '../../lib/amounts.ts'
import { formatTime } from '../../lib/time.ts'
import { useTitle } from '../../lib/use-title.ts'
import { Commitments } from './commitments.tsx'
import { Proposals } from './proposals.tsx'
import { RaiseActions } from './raise-actions.tsx'
import { type Raise, RaiseStatus } from './raise-status.tsx'

export function RaiseScreen() {
  const { id } = useParams({ from: '/raises/$id' })
  const { data: raise, error, refetch } = useRaise(id)
  useTitle(raise?.title)
  useRefetchWhenDue(
    raise ? [{ asOf: raise.asOf, times: [raise.registrationStart, raise.startAt, raise.endAt] }] : [],
    refetch,
  )
  if (raise)
    return (
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="grid min-w-0 content-start gap-4">
          <RaiseHeader raise={raise} />
          <div className="lg:hidden">
            <RaiseActions raise={raise} />
          </div>
          <Proposals raise={raise} />
          <Commitments raise={raise} />
        </div>
        <aside className="max-lg:hidden" aria-label="Take part">
          <RaiseActions raise={raise} />
        </aside>
      </div>
    )
  if (error instanceof SlipwayError && (error.status === 404 || error.status === 400))
    return <Empty icon="search" title="There is no such raise" />
  if (error) return <Failure error={error} retry={() => void refetch()} />
  return <Skeleton className="h-72 rounded-lg" />
}

function RaiseHeader({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const { links } = raise
  return (
    <header className="panel grid gap-4 p-5">
      <div className="flex flex-wrap items-center gap-4">
        <TokenImage
          address={raise.token}
          symbol={raise.tokenSymbol ?? '?'}
          imageUrl={raise.imageUrl}
          className="size-16 rounded-xl"
        />
        <div className="min-w-0 flex-1 basis-60">
          <h1 className="text-xl font-bold leading-tight">{raise.title}</h1>
          <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
            <RaiseStatus status={raise.status} />
            <Link to="/token/$address" params={{ address: raise.token }} className="hover:underline">
              {raise.tokenName ?? 'Unknown token'}
            </Link>
            by <WalletName wallet={raise.creator} />
          </p>
        </div>
      </div>
      {raise.description && <p className="whitespace-pre-wrap text-muted">{raise.description}</p>}
      <div className="flex flex-wrap gap-1.5 empty:hidden">
        <ExternalLink url={links.website} label="Website" />
        <ExternalLink url={links.twitter} label="X" />
        <ExternalLink url={links.telegram} label="Telegram" />
        <ExternalLink url={links.discord} label="Discord" />
      </div>
      <div>
        <div className="mb-1.5 flex justify-between gap-3">
          <span className="font-bold">{coin.format(raise.totalCommitted)}</span>
          <span className="text-muted">{formatPercent(raise.progressPct)}</span>
        </div>
        <Progress percent={raise.progressPct} label="Progress of the raise" className="h-2.5" />
      </div>
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Stat label="Goal">
          {coin.figure(raise.goalMin)}–{coin.format(raise.goalMax)}
        </Stat>
        <Stat label="Wallets">{raise.participantCount}</Stat>
        <Stat label="Tokens for sale">
          {formatAmount(raise.tokenAmount)} {raise.tokenSymbol}
        </Stat>
        <Stat label="Released">{coin.format(raise.released)}</Stat>
        <Stat label="Starts">{formatTime(raise.startAt)}</Stat>
        <Stat label="Ends">{formatTime(raise.endAt)}</Stat>
        <Stat label="In escrow">{coin.format(raise.escrow)}</Stat>
        <Stat label="Quorum of votes">{formatPercent(raise.quorumBps / 100, 0)}</Stat>
      </dl>
    </header>
  )
}
