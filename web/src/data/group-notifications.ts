import type { Schema } from '@slipway/sdk'

export type Notification = Schema<'Notification'>

/** Notifications that are shown as one: newest first, as in the list. */
export interface NotificationGroup {
  newest: Notification
  all: readonly Notification[]
}

/** The types that are grouped. Each notification of another type says something of its own. */
const GROUPED: ReadonlySet<Notification['type']> = new Set([
  'trade_on_my_token',
  'trade_alert',
  'token_like',
  'comment_like',
  'follow',
])

const keyOf = ({ id, type, subject, token, readAt }: Notification): string =>
  GROUPED.has(type) ? [type, token?.address ?? (type === 'follow' ? '' : subject), readAt === null].join(' ') : id

/** Joins notifications of the same kind and token that follow each other. Unread ones stay apart from those that were read. */
export function groupNotifications(items: readonly Notification[]): NotificationGroup[] {
  const groups: { key: string; all: Notification[] }[] = []
  for (const item of items) {
    const last = groups.at(-1)
    if (last?.key === keyOf(item)) last.all.push(item)
    else groups.push({ key: keyOf(item), all: [item] })
  }
  return groups.map(({ all }) => ({ newest: all[0] as Notification, all }))
}

/** Wallets that acted, each once, the latest first. */
export function actorsOf({ all }: NotificationGroup): NonNullable<Notification['actor']>[] {
  const actors = all.flatMap(({ actor }) => (actor ? [actor] : []))
  return [...new Map(actors.map((actor) => [actor.wallet, actor])).values()]
}

export interface SideSum {
  side: 'buy' | 'sell'
  count: number
  /** Base units of the token's quote asset. */
  quote: bigint
  /** Tokens in base units. */
  tokens: bigint
}

/** The purchases and the sales among the notifications, summed. */
export function sumTrades({ all }: NotificationGroup): SideSum[] {
  return (['buy', 'sell'] as const).flatMap((side) => {
    const trades = all.filter(({ payload }) => (payload as { side?: unknown }).side === side)
    const sum = (name: 'quoteAmount' | 'tokenAmount') =>
      trades.reduce((total, { payload }) => total + toAmount((payload as Record<string, unknown>)[name]), 0n)
    return trades.length === 0
      ? []
      : [{ side, count: trades.length, quote: sum('quoteAmount'), tokens: sum('tokenAmount') }]
  })
}

const toAmount = (value: unknown): bigint => (/^\d+$/.test(String(value)) ? BigInt(String(value)) : 0n)
