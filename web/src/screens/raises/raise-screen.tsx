import { formatAmount, formatCount, formatPercent } from '@slipway/sdk/helpers'
import { keyOf, useRaise } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { Link, useParams } from '@tanstack/react-router'
import { DetailsEditor } from '../../components/details-editor.tsx'
import { ExternalLink } from '../../components/external-link.tsx'
import { Stat } from '../../components/figures.tsx'
import { isMissing, Missing } from '../../components/missing.tsx'
import { Failure, Skeleton } from '../../components/states.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useCoin } from '../../data/config.tsx'
import { useRefetchWhenDue } from '../../data/use-refetch-when-due.ts'
import { api } from '../../lib/api.ts'
import { formatMinute } from '../../lib/time.ts'
import { useTitle } from '../../lib/use-title.ts'
import { Commitments } from './commitments.tsx'
import { Proposals } from './proposals.tsx'
import { RaiseActions } from './raise-actions.tsx'
import { RaiseProgress } from './raise-progress.tsx'
import { heldFor } from './raise-rules.ts'
import { type Raise, RaiseStatus } from './raise-status.tsx'

const RAISE_LINKS = [
  { to: '/raises', label: 'To the raises' },
  { to: '/raises/new', label: 'New raise' },
] as const

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
      <div className="grid gap-4 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
        <RaiseHeader raise={raise} />
        <aside className="lg:col-start-2 lg:row-span-2 lg:row-start-1" aria-label="Take part">
          <RaiseActions raise={raise} />
        </aside>
        <div className="grid min-w-0 content-start gap-4">
          <Proposals raise={raise} />
          <Commitments raise={raise} />
        </div>
      </div>
    )
  if (isMissing(error))
    return (
      <Missing title="There is no such raise" links={RAISE_LINKS}>
        No raise has the id <span className="font-mono">{id}</span>.
      </Missing>
    )
  if (error) return <Failure error={error} retry={() => void refetch()} />
  return <Skeleton className="h-72 rounded-lg" />
}

function RaiseHeader({ raise }: { raise: Raise }) {
  const coin = useCoin()
  const client = useQueryClient()
  const { links } = raise
  return (
    <header className="panel grid min-w-0 gap-4 p-5">
      <div className="flex flex-wrap items-center gap-4">
        <TokenImage
          address={raise.token}
          symbol={raise.tokenSymbol ?? '?'}
          imageUrl={raise.imageUrl}
          className="size-16 rounded-xl"
        />
        <div className="min-w-0 flex-1 basis-60">
          <h1 className="text-xl font-bold leading-tight">
            <bdi>{raise.title}</bdi>
          </h1>
          <p className="mt-1 flex flex-wrap items-center gap-x-2 gap-y-1 text-muted">
            <RaiseStatus status={raise.status} />
            <Link to="/token/$address" params={{ address: raise.token }} className="hover:underline">
              <bdi>{raise.tokenName ?? 'Unknown token'}</bdi>
            </Link>
            <span className="max-w-full truncate">
              by <WalletName wallet={raise.creator} />
            </span>
          </p>
        </div>
      </div>
      {raise.description && (
        <p dir="auto" className="whitespace-pre-wrap text-muted">
          {raise.description}
        </p>
      )}
      <div className="flex flex-wrap gap-1.5 empty:hidden">
        <ExternalLink url={links.website} label="Website" />
        <ExternalLink url={links.twitter} label="X" />
        <ExternalLink url={links.telegram} label="Telegram" />
        <ExternalLink url={links.discord} label="Discord" />
      </div>
      <DetailsEditor
        creator={raise.creator}
        known={raise}
        imageLabel="Image of the raise"
        save={async (change) => {
          await api.raises.patch(raise.id, change)
          await client.invalidateQueries({ queryKey: keyOf(api.raises.get.with(raise.id)) })
        }}
      />
      <RaiseProgress raise={raise} />
      <dl className="grid grid-cols-2 gap-4 sm:grid-cols-4">
        <Stat label="Goal">
          {coin.figure(raise.goalMin)}–{coin.format(raise.goalMax)}
        </Stat>
        <Stat label="Wallets">{formatCount(raise.participantCount)}</Stat>
        <Stat label="Tokens for sale" unit={raise.tokenSymbol}>
          {formatAmount(raise.tokenAmount)}
        </Stat>
        <Stat label="Released">{coin.format(raise.released)}</Stat>
        <Stat label="Starts">{formatMinute(raise.startAt)}</Stat>
        <Stat label="Ends">{formatMinute(raise.endAt)}</Stat>
        <Stat label="In escrow">{coin.format(heldFor(raise))}</Stat>
        <Stat label="Quorum of votes">{formatPercent(raise.quorumBps / 100, 0)}</Stat>
      </dl>
    </header>
  )
}
