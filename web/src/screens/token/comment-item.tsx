import { countOf, formatCount } from '@slipway/sdk/helpers'
import { keyOf } from '@slipway/sdk/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { Badge } from '../../components/badges.tsx'
import { Button } from '../../components/button.tsx'
import { Dialog } from '../../components/dialog.tsx'
import { Age } from '../../components/figures.tsx'
import { Icon } from '../../components/icon.tsx'
import { TokenImage } from '../../components/token-image.tsx'
import { WalletName } from '../../components/wallet-name.tsx'
import { SHOWS_FAILURES } from '../../data/query-client.ts'
import type { Comment, Token } from '../../data/tokens.ts'
import { api } from '../../lib/api.ts'
import { useSession } from '../../wallet/session.tsx'
import { CommentForm } from './comment-form.tsx'
import { ReportDialog } from './report-dialog.tsx'

const actionClass =
  'inline-flex items-center gap-1 rounded px-1.5 py-0.5 text-xs font-semibold text-faint hover:bg-raised hover:text-ink'

interface Props {
  token: Token
  comment: Comment
  /** Says to screen readers what happened. */
  onChange(text: string): void
  /** Takes the focus of a comment that is gone. */
  onDeleted(): void
}

export function CommentItem({ token, comment, onChange, onDeleted }: Props) {
  const replyId = useId()
  const replyButton = useRef<HTMLButtonElement>(null)
  const client = useQueryClient()
  const { wallet, ensure, setConnecting } = useSession()
  const [isReplying, setReplying] = useState(false)
  const [isReporting, setReporting] = useState(false)
  const [isDeleting, setDeleting] = useState(false)
  const { author, id } = comment
  const reload = () => client.invalidateQueries({ queryKey: keyOf(api.tokens.comments.with(token.address)) })
  const isLiked = comment.likedByMe === true
  const like = useMutation({
    meta: SHOWS_FAILURES,
    mutationFn: async () => {
      await ensure()
      return (isLiked ? api.comments.unlike : api.comments.like)(id)
    },
    onSuccess: reload,
  })
  const remove = useMutation({
    meta: SHOWS_FAILURES,
    mutationFn: async () => {
      await ensure()
      await api.comments.delete(id)
    },
    onSuccess: async () => {
      // An open dialog would keep the focus from the page.
      setDeleting(false)
      await reload()
      onChange('Comment deleted.')
      onDeleted()
    },
    onError: () => setDeleting(false),
  })
  const orConnect = (act: () => void) => (wallet ? act() : setConnecting(true))

  if (comment.removed || !author) return <p className="italic text-faint">This comment was removed.</p>
  return (
    <article className="flex gap-3">
      <TokenImage
        address={author.wallet}
        symbol={author.username ?? '0x'}
        imageUrl={author.avatarUrl}
        className="size-8"
        shape="round"
      />
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <WalletName wallet={author.wallet} username={author.username} className="font-semibold" />
          {author.wallet === token.creator && <Badge tone="warn">Creator</Badge>}
          <Age iso={comment.createdAt} className="text-xs text-faint" />
        </p>
        {/* Plain text: React escapes it. */}
        <p dir="auto" className="mt-0.5 whitespace-pre-wrap">
          {comment.text}
        </p>
        <div className="-ml-1.5 mt-1 flex flex-wrap gap-1">
          <button
            type="button"
            aria-pressed={isLiked}
            aria-label={`${isLiked ? 'Unlike' : 'Like'}, ${countOf(comment.likeCount, 'like')}`}
            disabled={like.isPending}
            onClick={() => orConnect(() => like.mutate())}
            className={`${actionClass} ${isLiked ? 'text-down' : ''}`}
          >
            <Icon name="heart" className={`size-3.5 ${isLiked ? 'fill-current' : ''}`} />
            {formatCount(comment.likeCount)}
          </button>
          <button
            ref={replyButton}
            type="button"
            aria-expanded={isReplying}
            aria-controls={isReplying ? replyId : undefined}
            className={actionClass}
            onClick={() => orConnect(() => setReplying(!isReplying))}
          >
            <Icon name="reply" className="size-3.5" />
            Reply
          </button>
          {wallet === author.wallet ? (
            <button type="button" className={actionClass} onClick={() => setDeleting(true)}>
              <Icon name="trash" className="size-3.5" />
              Delete
            </button>
          ) : (
            <button type="button" className={actionClass} onClick={() => orConnect(() => setReporting(true))}>
              <Icon name="flag" className="size-3.5" />
              Report
            </button>
          )}
        </div>
        {isReplying && (
          <div id={replyId} className="mt-2">
            <CommentForm
              token={token.address}
              parentId={comment.parentId ?? id}
              onPosted={() => onChange('Reply posted.')}
              onDone={() => {
                setReplying(false)
                replyButton.current?.focus({ preventScroll: true })
              }}
            />
          </div>
        )}
        <Dialog title="Delete this comment?" isOpen={isDeleting} onClose={() => setDeleting(false)}>
          <p className="mb-4 text-muted">It cannot be restored.</p>
          <Button kind="down" disabled={remove.isPending} onClick={() => remove.mutate()}>
            Delete for good
          </Button>
        </Dialog>
        <ReportDialog comment={id} isOpen={isReporting} onClose={() => setReporting(false)} />
      </div>
    </article>
  )
}
