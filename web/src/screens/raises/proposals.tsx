import { formatCount, formatDistance } from '@slipway/sdk/helpers'
import { useProposals } from '@slipway/sdk/react'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useCoin } from '../../data/config.tsx'
import { useRefetchWhenDue } from '../../data/use-refetch-when-due.ts'
import { useNow } from '../../lib/time.ts'
import { useSession } from '../../wallet/session.tsx'
import { ProposalActions } from './proposal-actions.tsx'
import { ProposalForm } from './proposal-form.tsx'
import { type Proposal, ProposalState, type Raise } from './raise-status.tsx'

/** Share of the remaining commitments that the contract wants of a proposer, as one in so many. */
const PROPOSER_PART = 100n

function isProposer({ creator, myCommitment: mine, remainingCommitted }: Raise, wallet: string | null): boolean {
  if (wallet === null) return false
  if (wallet === creator) return true
  return mine !== null && !mine.exited && BigInt(mine.amount) * PROPOSER_PART >= BigInt(remainingCommitted)
}

/** The most that a page of the API has: each proposer has one proposal open for votes, and few have the weight to propose. */
const MAX_PINNED = 100

/** All proposals, latest first, after those on which committers can act: they must not be lost among others. */
function useSortedProposals(raiseId: string) {
  const query = useProposals(raiseId)
  const passed = useProposals(raiseId, { state: 'succeeded', limit: MAX_PINNED })
  const open = useProposals(raiseId, { state: 'active', limit: MAX_PINNED })
  const pinned = [...passed.items, ...open.items]
  const others = query.items.filter(({ id }) => pinned.every((one) => one.id !== id))
  const items = [...pinned, ...others]
  useRefetchWhenDue(
    items.map(({ asOf, voteStart, voteEnd, executableAt, expiresAt }) => ({
      asOf,
      times: [voteStart, voteEnd, executableAt, expiresAt],
    })),
    () => Promise.all([query, passed, open].map(({ refetch }) => refetch())),
  )
  return { query, items }
}

export function Proposals({ raise }: { raise: Raise }) {
  const { query, items } = useSortedProposals(raise.id)
  const { wallet } = useSession()
  const [isProposing, setProposing] = useState(false)
  const mayPropose = raise.status === 'finalized' && raise.dissolvedAt === null && isProposer(raise, wallet)
  return (
    <section aria-labelledby="proposals" className="panel">
      <header className="flex items-center justify-between gap-3 border-b border-line px-4 py-2.5">
        <h2 id="proposals" className="font-bold">
          Proposals <span className="font-normal text-muted">({formatCount(raise.proposalCount)})</span>
        </h2>
        {mayPropose && (
          <Button size="sm" aria-expanded={isProposing} onClick={() => setProposing(!isProposing)}>
            {isProposing ? 'Close' : 'Propose'}
          </Button>
        )}
      </header>
      {isProposing && <ProposalForm raise={raise} onDone={() => setProposing(false)} />}
      <QueryState query={query} loading={<SkeletonRows count={2} />}>
        {() =>
          items.length === 0 ? (
            <Empty icon="comment" title="No proposals yet">
              Once the raise is finalized, its funds are released by votes.
            </Empty>
          ) : (
            <ul>
              {items.map((proposal) => (
                <ProposalItem key={proposal.id} raise={raise} proposal={proposal} />
              ))}
            </ul>
          )
        }
      </QueryState>
      <ShowMore list={query} parameter="proposals" />
    </section>
  )
}

function ProposalItem({ raise, proposal }: { raise: Raise; proposal: Proposal }) {
  const coin = useCoin()
  const now = useNow()
  const { state, kind } = proposal
  const deadline = state === 'pending' ? proposal.voteStart : proposal.voteEnd
  return (
    <li className="grid gap-3 border-b border-line/60 p-4 last:border-0">
      <div className="flex flex-wrap items-start justify-between gap-2">
        <div className="min-w-0">
          <h3 className="font-semibold">
            <bdi>{proposal.title}</bdi>
          </h3>
          <p className="text-xs text-muted">
            {kind === 'release' ? (
              <>
                Release {coin.format(proposal.payout)}
                {proposal.payout !== proposal.amount && ` of ${coin.figure(proposal.amount)}`}
                {proposal.recipient && (
                  <>
                    {' '}
                    to <WalletName wallet={proposal.recipient} />
                  </>
                )}
              </>
            ) : (
              'Dissolve the raise and refund the rest'
            )}{' '}
            <span className="inline-block max-w-full truncate align-bottom">
              · by <WalletName wallet={proposal.proposer} />
            </span>
          </p>
        </div>
        <span className="flex items-center gap-2 text-xs text-faint">
          {state === 'pending' ? 'Votes start' : Date.parse(deadline) > now ? 'Votes end' : 'Votes ended'}{' '}
          {formatDistance(deadline, now)}
          <ProposalState state={state} />
        </span>
      </div>
      {proposal.description && (
        <p dir="auto" className="whitespace-pre-wrap text-muted">
          {proposal.description}
        </p>
      )}
      <Votes proposal={proposal} />
      {proposal.myVote && (
        <p className="text-xs font-semibold text-accent-ink">
          You voted {proposal.myVote.support} with {coin.format(proposal.myVote.weight)}.
        </p>
      )}
      <ProposalActions raise={raise} proposal={proposal} />
    </li>
  )
}

function Votes({ proposal }: { proposal: Proposal }) {
  const coin = useCoin()
  const sides = [
    { label: 'For', votes: BigInt(proposal.forVotes), className: 'bg-up' },
    { label: 'Against', votes: BigInt(proposal.againstVotes), className: 'bg-down' },
    { label: 'Abstain', votes: BigInt(proposal.abstainVotes), className: 'bg-faint' },
  ]
  const total = sides.reduce((sum, { votes }) => sum + votes, 0n)
  const shareOf = (votes: bigint) => (total === 0n ? 0 : Number((votes * 1_000n) / total) / 10)
  return (
    <div>
      <div className="flex h-2 overflow-hidden rounded-full bg-line" aria-hidden="true">
        {sides.map(({ label, votes, className }) => (
          <span key={label} className={className} style={{ width: `${shareOf(votes)}%` }} />
        ))}
      </div>
      <dl className="mt-1.5 flex flex-wrap gap-x-3 gap-y-1 text-xs">
        {sides.map(({ label, votes, className }) => (
          <div key={label} className="flex items-center gap-1.5">
            <span className={`size-2 rounded-full ${className}`} aria-hidden="true" />
            <dt className="text-muted">{label}</dt>
            <dd className="font-semibold">{coin.figure(votes)}</dd>
          </div>
        ))}
        <div className="flex gap-1.5 text-faint">
          <dt>Quorum</dt>
          <dd>{coin.figure(proposal.quorum)}</dd>
        </div>
      </dl>
    </div>
  )
}
