import { type Schema, toUserMessage } from '@slipway/sdk'
import { keyOf, useList } from '@slipway/sdk/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Badge } from '../../components/badges.tsx'
import { Button } from '../../components/button.tsx'
import { Age } from '../../components/figures.tsx'
import { Empty, Notice, QueryState, SkeletonRows } from '../../components/states.tsx'
import { api } from '../../lib/api.ts'

type Application = Schema<'AmbassadorApplication'>

const tones = { pending: 'warn', approved: 'good', rejected: 'bad' } as const

export function Applications() {
  const query = useList(api.admin.ambassadorApplications.with({ limit: 50 }))
  return (
    <QueryState query={query} loading={<SkeletonRows count={3} />}>
      {() =>
        query.items.length === 0 ? (
          <Empty icon="users" title="No applications" />
        ) : (
          <ul>
            {query.items.map((application) => (
              <Item key={application.id} application={application} />
            ))}
          </ul>
        )
      }
    </QueryState>
  )
}

function Item({ application }: { application: Application }) {
  const client = useQueryClient()
  const { id, status } = application
  const review = useMutation({
    mutationFn: async (decision: 'approved' | 'rejected') => {
      await api.admin.reviewAmbassadorApplication(id, { status: decision })
      await client.invalidateQueries({ queryKey: keyOf(api.admin.ambassadorApplications) })
    },
  })
  return (
    <li className="grid gap-1.5 border-b border-line/60 px-4 py-3 last:border-0">
      <p className="flex flex-wrap items-center gap-2">
        <span className="font-semibold">
          <bdi>{application.name}</bdi>
        </span>
        <Badge tone={tones[status]}>{status}</Badge>
        <span className="text-xs text-muted">
          {application.email} · {application.country} · <Age iso={application.createdAt} />
        </span>
      </p>
      <p className="text-muted">{application.audience}</p>
      <p className="whitespace-pre-wrap">{application.motivation}</p>
      {status === 'pending' && (
        <div className="mt-1 flex gap-2">
          <Button size="sm" kind="up" disabled={review.isPending} onClick={() => review.mutate('approved')}>
            Approve
          </Button>
          <Button size="sm" kind="down" disabled={review.isPending} onClick={() => review.mutate('rejected')}>
            Decline
          </Button>
        </div>
      )}
      {review.error && <Notice tone="bad">{toUserMessage(review.error)}</Notice>}
    </li>
  )
}
