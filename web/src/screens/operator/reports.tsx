import { type Schema, toUserMessage } from '@slipway/sdk'
import { keyOf, useList } from '@slipway/sdk/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { Badge } from '../../components/badges.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Age } from '../../components/figures.tsx'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, Notice, QueryState, SkeletonRows } from '../../components/states.tsx'
import { Choice } from '../../components/tabs.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { useUrlChoice } from '../../data/url-state.ts'
import { api } from '../../lib/api.ts'
import { shorten } from '../../lib/links.ts'

type Report = Schema<'Report'>

const STATUSES: readonly { id: Report['status']; label: string }[] = [
  { id: 'open', label: 'Open' },
  { id: 'upheld', label: 'Upheld' },
  { id: 'dismissed', label: 'Dismissed' },
]

export function Reports() {
  const [status, setStatus] = useUrlChoice('status', STATUSES, 'open')
  const query = useList(api.admin.reports.with({ status, limit: 50 }), { keepPrevious: true })
  return (
    <div>
      <div className="flex justify-end px-4 pt-3">
        <Choice label="Status of the reports" options={STATUSES} selected={status} onSelect={setStatus} />
      </div>
      <QueryState query={query} loading={<SkeletonRows count={3} />}>
        {() =>
          query.items.length === 0 ? (
            <Empty icon="flag" title="No reports" />
          ) : (
            <ul>
              {query.items.map((report) => (
                <ReportItem key={report.id} report={report} />
              ))}
            </ul>
          )
        }
      </QueryState>
      <ShowMore list={query} />
    </div>
  )
}

function ReportItem({ report }: { report: Report }) {
  const client = useQueryClient()
  const { comment } = report
  const isSettled = comment.deleted && report.status !== 'open'
  const [isBanning, setBanning] = useState(false)
  const act = useMutation({
    mutationFn: async (action: 'hide' | 'unhide' | 'dismiss' | 'ban') => {
      const body = { reason: `Report ${report.id}: ${report.reason}` }
      if (action === 'hide') await api.admin.hideComment(comment.id, body)
      else if (action === 'unhide') await api.admin.unhideComment(comment.id, body)
      else if (action === 'ban') await api.admin.banWallet(comment.author, body)
      else await api.admin.dismissReport(report.id, {})
      for (const operation of [api.admin.reports, api.admin.bans])
        await client.invalidateQueries({ queryKey: keyOf(operation) })
    },
    onSuccess: () => setBanning(false),
  })
  return (
    <li className="grid gap-2 border-b border-line/60 px-4 py-3 last:border-0">
      <p className="flex flex-wrap items-center gap-2 text-xs text-muted">
        <Badge tone="warn">{report.reason}</Badge>
        reported by <WalletName wallet={report.reporter} /> <Age iso={report.createdAt} />
      </p>
      <blockquote dir="auto" className="whitespace-pre-wrap border-l-2 border-line-strong pl-3">
        {comment.text || <span className="text-muted">Deleted by its author</span>}
      </blockquote>
      <p className="text-xs text-muted">
        by <WalletName wallet={comment.author} /> on{' '}
        <Link to="/token/$address" params={{ address: comment.token }} className="font-mono underline">
          {shorten(comment.token)}
        </Link>
        {report.note && (
          <>
            {' '}
            · note: <bdi>{report.note}</bdi>
          </>
        )}
      </p>
      <div className="flex flex-wrap gap-2">
        {comment.hidden ? (
          <Button size="sm" disabled={act.isPending || comment.deleted} onClick={() => act.mutate('unhide')}>
            Unhide the comment
          </Button>
        ) : (
          <Button size="sm" kind="down" disabled={act.isPending || isSettled} onClick={() => act.mutate('hide')}>
            Hide the comment
          </Button>
        )}
        <Button size="sm" disabled={act.isPending || comment.authorBanned} onClick={() => setBanning(true)}>
          {comment.authorBanned ? 'Author is banned' : 'Ban the author'}
        </Button>
        {report.status === 'open' && (
          <Button size="sm" disabled={act.isPending} onClick={() => act.mutate('dismiss')}>
            Dismiss
          </Button>
        )}
      </div>
      {act.error && !isBanning && <Notice tone="bad">{toUserMessage(act.error)}</Notice>}
      <Dialog title="Ban this author?" isOpen={isBanning} onClose={() => setBanning(false)}>
        <p className="mb-4 text-muted">
          <span className="font-mono wrap-anywhere">{comment.author}</span> can then write, like and follow nothing,
          until an operator unbans it under Moderation.
        </p>
        {act.error && <Notice tone="bad">{toUserMessage(act.error)}</Notice>}
        <Button kind="down" disabled={act.isPending} onClick={() => act.mutate('ban')}>
          Ban the author
        </Button>
      </Dialog>
    </li>
  )
}
