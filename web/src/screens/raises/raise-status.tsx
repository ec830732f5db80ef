import type { Schema } from '@slipway/sdk'
import { Badge } from '../../components/badges.tsx'

export type Raise = Schema<'Raise'>
export type Proposal = Schema<'Proposal'>

const statuses = {
  upcoming: { tone: 'plain', text: 'Upcoming' },
  registration: { tone: 'accent', text: 'Registration' },
  active: { tone: 'good', text: 'Open' },
  succeeded: { tone: 'good', text: 'Goal met' },
  failed: { tone: 'bad', text: 'Failed' },
  finalized: { tone: 'plain', text: 'Finalized' },
  cancelled: { tone: 'bad', text: 'Cancelled' },
} as const

export function RaiseStatus({ status }: { status: Raise['status'] }) {
  const { tone, text } = statuses[status]
  return <Badge tone={tone}>{text}</Badge>
}

const states = {
  pending: { tone: 'plain', text: 'Starts soon' },
  active: { tone: 'good', text: 'Open for votes' },
  defeated: { tone: 'bad', text: 'Defeated' },
  succeeded: { tone: 'good', text: 'Passed' },
  executed: { tone: 'plain', text: 'Executed' },
  cancelled: { tone: 'bad', text: 'Cancelled' },
  expired: { tone: 'bad', text: 'Expired' },
} as const

export function ProposalState({ state }: { state: Proposal['state'] }) {
  const { tone, text } = states[state]
  return <Badge tone={tone}>{text}</Badge>
}
