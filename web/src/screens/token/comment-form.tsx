import { toUserMessage } from '@slipway/sdk'
import { keyOf } from '@slipway/sdk/react'
import { countGraphemes, findTextProblem } from '@slipway/sdk/texts'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useId, useRef, useState } from 'react'
import { Button } from '../../components/button.tsx'
import { Notice } from '../../components/states.tsx'
import { api } from '../../lib/api.ts'
import { useKeptFocus } from '../../lib/use-kept-focus.ts'
import { useSession } from '../../wallet/session.tsx'

const MAX_LENGTH = 500

const withoutStart = (text: string, start: string) =>
  text.startsWith(start) ? text.slice(start.length).trimStart() : text

interface Props {
  token: string
  parentId: string | null
  /** Closes the form. */
  onDone?: () => void
  onPosted(): void
}

export function CommentForm({ token, parentId, onDone, onPosted }: Props) {
  const id = useId()
  const client = useQueryClient()
  const { wallet, ensure, setConnecting } = useSession()
  const [text, setText] = useState('')
  const latest = useRef(text)
  latest.current = text
  const post = useMutation({
    mutationFn: async (posted: string) => {
      await ensure()
      const body = { text: posted.trim(), ...(parentId && { parentId }) }
      return api.tokens.postComment(token, body)
    },
    onSuccess: async (_, posted) => {
      await client.invalidateQueries({ queryKey: keyOf(api.tokens.comments.with(token)) })
      onPosted()
      // What was typed meanwhile stays.
      const rest = withoutStart(latest.current, posted)
      setText(rest)
      if (rest === '') onDone?.()
    },
  })
  const field = useKeptFocus<HTMLTextAreaElement>(post.isPending)
  if (!wallet)
    return (
      <Button onClick={() => setConnecting(true)} className="w-full">
        Connect a wallet to comment
      </Button>
    )
  const problem = text.trim() === '' ? null : findTextProblem('text', text.trim())
  const canPost = text.trim() !== '' && problem === null
  const label = parentId ? 'Your reply' : 'Your comment'
  return (
    <form
      className="grid gap-2"
      onSubmit={(event) => {
        event.preventDefault()
        if (canPost && !post.isPending) post.mutate(text)
      }}
    >
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <textarea
        ref={field}
        id={id}
        // biome-ignore lint/a11y/noAutofocus: a reply is opened by a button, to be written
        autoFocus={parentId !== null}
        dir="auto"
        rows={2}
        value={text}
        placeholder={label}
        onChange={(event) => setText(event.target.value)}
        className="field resize-y"
      />
      <div className="flex items-center justify-between gap-3">
        <span className="text-2xs text-faint">
          {countGraphemes(text)} / {MAX_LENGTH}
        </span>
        <span className="flex gap-2">
          {onDone && (
            <Button size="sm" kind="ghost" onClick={onDone}>
              Cancel
            </Button>
          )}
          <Button type="submit" size="sm" kind="primary" disabled={post.isPending || !canPost}>
            {post.isPending ? 'Posting…' : parentId ? 'Reply' : 'Comment'}
          </Button>
        </span>
      </div>
      {problem !== null && <p className="text-2xs font-semibold text-down">{problem}</p>}
      {post.error && <Notice tone="bad">{toUserMessage(post.error)}</Notice>}
    </form>
  )
}
