import { sql, type Transaction } from 'kysely'
import { toChangePercent } from '../../chain/price.ts'
import type { Measure } from '../../db/queries/alerts.ts'
import type { NotificationType } from '../../db/queries/notifications.ts'
import { launchPrice } from '../../db/queries/tokens.ts'
import type { Database } from '../../db/schema.ts'
import { getTokenIds, type TokenIds } from '../../db/token-ids.ts'
import type { NotificationRef } from '../engine/module.ts'
import { MAX_RECIPIENTS } from '../engine/notification-limits.ts'
import type { ChainEvent, OfKind } from './events.ts'
import { isPriced, type Priced } from './store-candles.ts'

/** Seconds of the windows of price changes. */
const WINDOWS: Partial<Record<Measure, number>> = { m5: 300, h1: 3_600, h6: 21_600, h24: 86_400 }

export type TriggerEvent = OfKind<'graduate'> | (ChainEvent & Priced)

/** What an event says about a token. */
interface Observation {
  tokenId: number
  measure: Measure
  value: number
  event: TriggerEvent
}

/** A measure of a token for which an alert waits. */
interface Waiting {
  token_id: number
  measure: Measure
}

interface TokenEvents {
  /** The events of the token, in order. */
  events: readonly TriggerEvent[]
}

interface Triggered {
  id: number
  wallet: string
  measure: Measure
  direction: string
  metric: string | null
  value: number | null
  /** Index of the observation. */
  seen: number
}

export const mayTrigger = (event: ChainEvent): event is TriggerEvent => event.kind === 'graduate' || isPriced(event)

/**
 * Marks the alerts about tokens that these events trigger, and notifies of them. Call it once the candles are stored. events:
 * recent ones, in order. ids: numbers of their tokens.
 *
 * Invariants: an alert triggers once, by the first event after its creation that meets it, and a reorg of that event lets it
 * wait again (see rearmAlerts).
 */
export async function triggerAlerts(
  trx: Transaction<Database>,
  events: readonly TriggerEvent[],
  ids: ReadonlyMap<string, TokenIds>,
): Promise<NotificationRef[]> {
  if (events.length === 0) return []
  const byToken = Map.groupBy(events, ({ token }) => getTokenIds(ids, token).id)
  const { rows: waiting } = await sql<Waiting>`
    select distinct token_id, measure from token_alerts
    where token_id = any(${[...byToken.keys()]}::integer[]) and triggered_block is null`.execute(trx)
  const known = waiting.map((one) => ({ ...one, events: byToken.get(one.token_id)! }))
  const observations = [
    ...known.filter(({ measure }) => !(measure in WINDOWS)).flatMap(observe),
    ...(await observeChanges(
      trx,
      known.filter(({ measure }) => measure in WINDOWS),
    )),
  ]
  if (observations.length === 0) return []
  const triggered = await markTriggered(trx, observations)
  return triggered.length === 0 ? [] : await notify(trx, triggered, observations)
}

/** After an undo: alerts that blocks from this height on have triggered wait again. */
export async function rearmAlerts(trx: Transaction<Database>, from: number): Promise<void> {
  await sql`update token_alerts set triggered_block = null, triggered_at = null where triggered_block >= ${from}`.execute(
    trx,
  )
}

/** What events say about the price or the graduation of a token. */
function observe({ token_id: tokenId, measure, events }: Waiting & TokenEvents): Observation[] {
  const say = (event: TriggerEvent, value: number | null) =>
    value === null ? [] : [{ tokenId, measure, value, event }]
  if (measure === 'graduation')
    return events.filter(({ kind }) => kind === 'graduate').flatMap((event) => say(event, 1))
  const priced = events.filter(isPriced)
  if (measure === 'price') return priced.flatMap((event) => say(event, event.priceNative))
  return priced.flatMap((event) => say(event, event.priceUsd))
}

/**
 * What the last event says about a token's change in a window. As in priceChangePct, it is from the close of the last minute that
 * began at or before the start of the window, or from the price of the launch.
 */
async function observeChanges(
  trx: Transaction<Database>,
  waiting: readonly (Waiting & TokenEvents)[],
): Promise<Observation[]> {
  const last = waiting.flatMap(({ events, ...one }) => {
    const event = events.findLast(isPriced)
    return event ? { ...one, event } : []
  })
  if (last.length === 0) return []
  const starts = last.map(({ measure, event }) => event.at.time - WINDOWS[measure]!)
  // From figures, because Citus reads candles for rows of the same node only.
  const { rows } = await sql<{ place: number; price: number | null }>`
    select w.place, coalesce(
      (select close from candles c where c.token_id = f.token_id and resolution = 60 and bucket <= w.start
        order by bucket desc limit 1),
      ${launchPrice}) as price
    from token_figures f join tokens t on t.id = f.token_id
    join unnest(${last.map((one) => one.token_id)}::integer[], ${starts}::bigint[]) with ordinality as w (token_id, start, place)
      on w.token_id = f.token_id`.execute(trx)
  const prices = new Map(rows.map(({ place, price }) => [place, price]))
  return last.flatMap(({ token_id: tokenId, measure, event }, index) => {
    const value = toChangePercent(event.price, prices.get(index + 1) ?? null)
    return value === null ? [] : { tokenId, measure, value, event }
  })
}

/** Alerts beyond the limit wait for the next event. */
async function markTriggered(
  trx: Transaction<Database>,
  observations: readonly Observation[],
): Promise<readonly Triggered[]> {
  const places = observations.map(({ event }) => event.at)
  const { rows } = await sql<Triggered>`
    with met as materialized (
      select distinct on (a.token_id, a.id) a.token_id, a.id, o.block_number, o.block_time, o.n
      from unnest(${observations.map(({ tokenId }) => tokenId)}::integer[],
        ${observations.map(({ measure }) => measure)}::text[],
        ${observations.map(({ value }) => value)}::double precision[],
        ${places.map(({ blockNumber }) => blockNumber)}::bigint[],
        ${places.map(({ time }) => time)}::bigint[]) with ordinality as o (token_id, measure, value, block_number, block_time, n)
      join token_alerts a on a.token_id = o.token_id and a.measure = o.measure and a.triggered_block is null
        and ((a.direction = 'above' and a.threshold <= o.value) or (a.direction = 'below' and a.threshold >= o.value))
        and a.since_block < o.block_number
      order by a.token_id, a.id, o.n
      limit ${MAX_RECIPIENTS}
    )
    update token_alerts a set triggered_block = met.block_number, triggered_at = to_timestamp(met.block_time)
    from met where a.token_id = met.token_id and a.id = met.id
    returning a.id, a.wallet, a.measure, a.direction, a.metric, a.value, (met.n - 1)::integer as seen`.execute(trx)
  return rows.toSorted((a, b) => a.id - b.id)
}

async function notify(
  trx: Transaction<Database>,
  triggered: readonly Triggered[],
  observations: readonly Observation[],
): Promise<NotificationRef[]> {
  const drafts = triggered.map((alert) => {
    const { event, value } = observations[alert.seen]!
    const { at, token } = event
    const isGraduation = event.kind === 'graduate'
    const isChange = alert.measure in WINDOWS
    const type: NotificationType = isGraduation ? 'graduation_alert' : 'price_alert'
    const payload = {
      alert: {
        id: String(alert.id),
        metric: alert.metric,
        window: isChange ? alert.measure : null,
        direction: isGraduation ? null : alert.direction,
        value: alert.value,
      },
      priceNative: isGraduation ? null : event.priceNative,
      priceUsd: isGraduation ? null : event.priceUsd,
      changePct: isChange ? value : null,
      txHash: at.txHash,
      blockNumber: at.blockNumber,
      logIndex: at.logIndex,
      timestamp: new Date(at.time * 1000).toISOString(),
    }
    return { type, recipient: alert.wallet, token, payload: JSON.stringify(payload), at }
  })
  const { rows } = await sql<NotificationRef>`
    insert into notifications (recipient, type, subject, payload, block_number, log_index)
    select * from unnest(${drafts.map(({ recipient }) => recipient)}::text[], ${drafts.map(({ type }) => type)}::text[],
      ${drafts.map(({ token }) => token)}::text[], ${drafts.map(({ payload }) => payload)}::jsonb[],
      ${drafts.map(({ at }) => at.blockNumber)}::bigint[], ${drafts.map(({ at }) => at.logIndex)}::integer[])
    on conflict do nothing
    returning id, block_number, log_index`.execute(trx)
  return rows
}
