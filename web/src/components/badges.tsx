import type { ReactNode } from 'react'
import type { Token } from '../data/tokens.ts'
import { useIsFinal } from '../data/use-is-final.ts'

const tones = {
  plain: 'bg-raised text-muted',
  good: 'bg-up-soft text-up',
  warn: 'bg-warn-soft text-warn',
  bad: 'bg-down-soft text-down',
  accent: 'bg-accent-soft text-accent-ink',
} as const

export function Badge({
  tone = 'plain',
  title,
  children,
}: {
  tone?: keyof typeof tones
  title?: string
  children: ReactNode
}) {
  return (
    <span
      title={title}
      className={`inline-flex items-center rounded px-1.5 py-px text-2xs font-semibold ${tones[tone]}`}
    >
      {children}
    </span>
  )
}

const statuses = {
  curve: { tone: 'accent', text: 'On curve' },
  completed: { tone: 'warn', text: 'Completed' },
  graduated: { tone: 'good', text: 'Graduated' },
} as const

/** Launched in its pool: it has not graduated. */
const inPool = { tone: 'good', text: 'In its pool' } as const

export function TokenBadges({ token }: { token: Token }) {
  const isFinal = useIsFinal([token])
  const { tone, text } = token.lifecycle === 'direct' ? inPool : statuses[token.status]
  return (
    <span className="inline-flex flex-wrap gap-1">
      <Badge tone={tone}>{text}</Badge>
      {token.featured && <Badge tone="accent">Featured</Badge>}
      {token.symbolTakenBefore && (
        <Badge tone="warn" title="An older token has this symbol, or one that looks like it. Check the address.">
          Symbol taken before
        </Badge>
      )}
      {!isFinal(token) && (
        <Badge title="The launch is not final yet: a reorganization of the chain could undo it.">Unconfirmed</Badge>
      )}
      {token.hidden && <Badge tone="bad">Hidden</Badge>}
    </span>
  )
}
