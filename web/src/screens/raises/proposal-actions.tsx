import { buildExecution, buildExit, buildProposalCancellation, buildVote, transact } from '@slipway/sdk'
import { formatAmount, formatDistance } from '@slipway/sdk/helpers'
import { ActionButton, Outcome } from '../../components/action-button.tsx'
import { Button } from '../../components/button.tsx'
import { useCoin } from '../../data/config.tsx'
import { api } from '../../lib/api.ts'
import { useNow } from '../../lib/time.ts'
import { useKeptFocus } from '../../lib/use-kept-focus.ts'
import { useAction } from '../../transactions/use-action.ts'
import { useSession } from '../../wallet/session.tsx'
import { Confirmed } from './raise-management.tsx'
import type { Proposal, Raise } from './raise-status.tsx'
import { SignInPrompt } from './sign-in-prompt.tsx'

interface Props {
  raise: Raise
  proposal: Proposal
}

/** What the connected wallet can do about a proposal now. */
export function ProposalActions({ raise, proposal }: Props) {
  const { wallet } = useSession()
  const { state } = proposal
  const isExecutable = Date.parse(proposal.asOf) >= Date.parse(proposal.executableAt)
  const isOpen = state === 'pending' || state === 'active' || state === 'succeeded'
  return (
    <>
      {state === 'active' && <Vote raise={raise} proposal={proposal} />}
      {state === 'succeeded' && <Exit raise={raise} proposal={proposal} />}
      {state === 'succeeded' && wallet && isExecutable && <Execute proposal={proposal} />}
      {isOpen && wallet === proposal.proposer && <Cancel proposal={proposal} />}
    </>
  )
}

function Cancel({ proposal: { id, state } }: { proposal: Proposal }) {
  const action = useAction({ label: 'Withdrawal of the proposal' }, (_: undefined, { wallet, flow }) =>
    transact(api, wallet, buildProposalCancellation(id), undefined, flow),
  )
  const pause = state === 'pending' ? '' : ' You can propose again a day after its vote has ended.'
  return (
    <Confirmed label="Withdraw the proposal" warning={`It cannot be restored.${pause}`}>
      <ActionButton action={action} label="Withdraw it for good" done="Withdrawn." />
    </Confirmed>
  )
}

function Execute({ proposal: { id } }: { proposal: Proposal }) {
  const action = useAction({ label: 'Execution of the proposal' }, (_: undefined, { wallet, flow }) =>
    transact(api, wallet, buildExecution(id), api.proposals.syncExecution.with(id), flow),
  )
  return <ActionButton action={action} label="Execute" done="Executed." />
}

/** The exit window of a payment that passed: committers who did not vote for it can leave. */
function Exit({ raise, proposal }: Props) {
  const coin = useCoin()
  const now = useNow()
  const { id, kind, myVote, executableAt } = proposal
  const mine = raise.myCommitment
  const action = useAction({ label: 'Exit from the raise' }, (_: undefined, { wallet, flow }) =>
    transact(api, wallet, buildExit(id), api.proposals.syncExit.with(id), flow),
  )
  const canLeave = mine !== null && mine.exitable !== '0' && myVote?.support !== 'for'
  if (kind !== 'release') return null
  const share = coin.format(mine?.exitable)
  const isOpen = Date.parse(executableAt) > now
  const time = isOpen ? `It can be paid ${formatDistance(executableAt, now)}.` : 'It can be paid at any time now.'
  if (!canLeave)
    return (
      <div className="grid gap-2">
        <p className="text-xs text-muted">This payment passed. {time}</p>
        <SignInPrompt label="Sign in to leave with your share" />
      </div>
    )
  const claimed = mine.tokensClaimed
  return (
    <div className="grid gap-2">
      <p className="text-xs text-muted">
        This payment passed. {time} Until then you can leave the raise with {share}, your share of what is unreleased.{' '}
        {claimed === '0'
          ? 'You give up the tokens that it was to pay for.'
          : `You get it against the tokens that it was to pay for, out of the ${formatAmount(claimed)} that you claimed.`}
      </p>
      <ActionButton action={action} label={`Leave with ${share}`} done="You left the raise." />
    </div>
  )
}

/** The buttons, for wallets whose commitment has a weight; for others, why there are none. */
function Vote({ raise, proposal }: Props) {
  const { wallet, isSignedIn } = useSession()
  if (!wallet) return null
  const mine = raise.myCommitment
  if (mine?.exited) return <p className="text-xs text-muted">You left the raise, and no longer vote.</p>
  if (mine && mine.amount !== '0') return <VoteButtons proposal={proposal} />
  return (
    <p className="text-xs text-muted">
      Wallets that committed to the raise vote.{' '}
      {isSignedIn ? 'Yours did not.' : <SignInPrompt label="Sign in to vote" />}
    </p>
  )
}

type Choice = 'for' | 'against' | 'abstain'

/** A vote can be changed until the end: the choice that holds is not offered again. */
function VoteButtons({ proposal: { id, title, myVote } }: { proposal: Proposal }) {
  const vote = useAction({ label: 'Vote' }, (choice: Choice, { wallet, flow }) =>
    transact(api, wallet, buildVote(id, choice), api.proposals.syncVote.with(id), flow),
  )
  const group = useKeptFocus<HTMLFieldSetElement>(vote.isPending)
  return (
    <div className="grid gap-2">
      <fieldset
        ref={group}
        tabIndex={-1}
        aria-label={`Vote on ${title}`}
        disabled={vote.isPending}
        className="flex flex-wrap gap-2"
      >
        <Button size="sm" kind="up" disabled={myVote?.support === 'for'} onClick={() => vote.start('for')}>
          Vote for
        </Button>
        <Button size="sm" kind="down" disabled={myVote?.support === 'against'} onClick={() => vote.start('against')}>
          Vote against
        </Button>
        <Button size="sm" disabled={myVote?.support === 'abstain'} onClick={() => vote.start('abstain')}>
          Abstain
        </Button>
        {vote.progress && <span className="self-center text-xs text-muted">{vote.progress}</span>}
      </fieldset>
      <Outcome action={vote} done="Voted." />
    </div>
  )
}
