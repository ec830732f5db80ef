import { formatCount } from '@slipway/sdk/helpers'
import { useComments } from '@slipway/sdk/react'
import { type ComponentProps, useEffect, useMemo, useRef, useState } from 'react'
import { ShowMore } from '../../components/show-more.tsx'
import { Empty, QueryState, SkeletonRows } from '../../components/states.tsx'
import { learnNames } from '../../data/names.ts'
import type { Comment, Token } from '../../data/tokens.ts'
import { CommentForm } from './comment-form.tsx'
import { CommentItem } from './comment-item.tsx'

interface Thread {
  root: Comment
  replies: Comment[]
}

export function Comments({ token }: { token: Token }) {
  const query = useComments(token.address)
  const { items: comments } = query
  useEffect(() => learnNames(comments.map(({ author }) => author)), [comments])
  const [said, setSaid] = useState('')
  const title = useRef<HTMLHeadingElement>(null)
  const focusTitle = () => title.current?.focus({ preventScroll: true })
  return (
    <section aria-labelledby="comments" className="panel p-4">
      <p role="status" className="sr-only">
        {said}
      </p>
      <h2 ref={title} id="comments" tabIndex={-1} className="mb-3 font-bold outline-none">
        Comments <span className="font-normal text-muted">({formatCount(token.commentCount)})</span>
      </h2>
      <CommentForm token={token.address} parentId={null} onPosted={() => setSaid('Comment posted.')} />
      <QueryState query={query} loading={<SkeletonRows count={3} />}>
        {() => <Threads token={token} comments={comments} onChange={setSaid} onDeleted={focusTitle} />}
      </QueryState>
      <ShowMore list={query} label="Show more comments" />
    </section>
  )
}

interface ThreadsProps extends Omit<ComponentProps<typeof CommentItem>, 'comment'> {
  comments: Comment[]
}

function Threads({ comments, ...shared }: ThreadsProps) {
  const threads = useMemo(() => toThreads(comments), [comments])
  if (threads.length === 0) return <Empty icon="comment" title="No comments yet" />
  return (
    <ul className="mt-4 grid gap-4">
      {threads.map(({ root, replies }) => (
        <li key={root.id} className="enter">
          <CommentItem {...shared} comment={root} />
          {replies.length > 0 && (
            <ul className="ml-5 mt-3 grid gap-3 border-l-2 border-line pl-4">
              {replies.map((reply) => (
                <li key={reply.id} className="enter">
                  <CommentItem {...shared} comment={reply} />
                </li>
              ))}
            </ul>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Threads newest first, replies oldest first. A reply whose root is not in the list stands alone. */
function toThreads(comments: readonly Comment[]): Thread[] {
  const ids = new Set(comments.map(({ id }) => id))
  const isRoot = ({ parentId }: Comment) => parentId === null || !ids.has(parentId)
  const replies = Map.groupBy(
    comments.filter((comment) => !isRoot(comment)),
    ({ parentId }) => parentId,
  )
  return comments.filter(isRoot).map((root) => ({ root, replies: (replies.get(root.id) ?? []).toReversed() }))
}
