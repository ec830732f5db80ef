import { toUserMessage } from '@slipway/sdk'
import type { ReactNode } from 'react'
import { Button } from './button.tsx'
import { Icon, type IconName } from './icon.tsx'

/** The placeholder of something that loads. */
export function Skeleton({ className }: { className: string }) {
  return (
    <div className={`shimmer ${className}`} aria-busy="true">
      <span className="sr-only">Loading…</span>
    </div>
  )
}

/** A part of a placeholder that has a name already. */
export function SkeletonPart({ className }: { className: string }) {
  return <div className={`shimmer ${className}`} aria-hidden="true" />
}

/** Placeholder rows of the height of the real ones, so that nothing jumps. */
export function SkeletonRows({ count, className = 'h-12' }: { count: number; className?: string }) {
  return (
    <div className="grid gap-2 p-3" aria-busy="true">
      <span className="sr-only">Loading…</span>
      {Array.from({ length: count }, (_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the rows are identical
        <SkeletonPart key={index} className={className} />
      ))}
    </div>
  )
}

export function Empty({ icon, title, children }: { icon: IconName; title: string; children?: ReactNode }) {
  return (
    <div className="flex flex-col items-center gap-2 px-6 py-10 text-center">
      <span className="rounded-full bg-raised p-3 text-faint">
        <Icon name={icon} className="size-5" />
      </span>
      <p className="font-semibold">{title}</p>
      {children && <div className="max-w-sm text-muted">{children}</div>}
    </div>
  )
}

export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  return (
    <div role="alert" className="flex flex-col items-center gap-3 px-6 py-10 text-center">
      <p className="font-semibold">This could not be loaded</p>
      <p className="max-w-md text-muted">{toUserMessage(error)}</p>
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  )
}

interface QueryLike<Data> {
  data: Data | undefined
  error: unknown
  refetch(): unknown
}

interface QueryStateProps<Data> {
  query: QueryLike<Data>
  loading: ReactNode
  children: (data: Data) => ReactNode
}

/** Shows data, even stale data after a failed refresh; else the error or the placeholder. */
export function QueryState<Data>({ query, loading, children }: QueryStateProps<Data>) {
  if (query.data !== undefined) return children(query.data)
  if (query.error) return <Failure error={query.error} retry={() => void query.refetch()} />
  return loading
}

const tones = {
  info: 'bg-accent-soft text-ink',
  good: 'bg-up-soft text-ink',
  bad: 'bg-down-soft text-ink',
  warn: 'bg-warn-soft text-ink',
} as const

export function Notice({ tone, children }: { tone: keyof typeof tones; children: ReactNode }) {
  return (
    <div role={tone === 'bad' ? 'alert' : 'status'} className={`enter rounded-md px-3 py-2 ${tones[tone]}`}>
      {children}
    </div>
  )
}
