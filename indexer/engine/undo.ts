import { sql, type Transaction } from 'kysely'
import { columnToHex } from '../../db/hex.ts'
import type { Database } from '../../db/schema.ts'
import { readBlocks } from './blocks.ts'
import { type DecodedEvents, joinEvents, openDecoders } from './decode.ts'
import type { IndexedContracts } from './module.ts'
import { deleteAnswers } from './reads/store-answers.ts'

/** Everything that an undo removed. */
export interface Undone {
  /** Whether there was an undo; it may have removed no event. */
  isUndone: boolean
  events: DecodedEvents
  /** Numbers of the tokens whose figures were changed or removed. */
  tokens: readonly number[]
  notifications: { id: number; recipient: string }[]
}

export const NOTHING_UNDONE: Undone = { isUndone: false, events: [], tokens: [], notifications: [] }

export const joinUndone = (a: Undone, b: Undone): Undone => ({
  isUndone: a.isUndone || b.isUndone,
  events: joinEvents(a.events, b.events),
  tokens: a.tokens.concat(b.tokens),
  notifications: a.notifications.concat(b.notifications),
})

/**
 * Undoes every event from a height on, and sets the checkpoint below it. The counterpart of applyBatch: afterwards the
 * tables are as if the events had never been applied.
 */
export async function undoFrom(trx: Transaction<Database>, contracts: IndexedContracts, from: number): Promise<Undone> {
  const blocks = await readBlocks(trx, { from })
  const decoders = await openDecoders(trx, contracts, blocks)
  const decoded = [...decoders.decode(blocks)].reduce<DecodedEvents>(joinEvents, [])
  let tokens: readonly number[] = []
  for (const { module, events } of decoded) {
    if (events.length > 0) tokens = tokens.concat(await module.undo(trx, events, from))
  }
  // Written for every module.
  await sql`delete from actions where block_number >= ${from}`.execute(trx)
  // Locked by id, as by the wallets that mark theirs as read at the same time.
  const { rows: notifications } = await sql<Undone['notifications'][number]>`
    delete from notifications where id = any(array(
      select id from notifications where block_number >= ${from} order by id for update
    )) returning id, recipient`.execute(trx)
  await trx.deleteFrom('blocks').where('number', '>=', from).execute()
  await deleteAnswers(trx, from)
  const { rows } = await sql<{ number: number; hash: string; time: number }>`
    select number, ${columnToHex('hash')} as hash, time from blocks where number < ${from}::bigint
    order by number desc limit 1`.execute(trx)
  // A final block without logs is not stored: then the time is that of the last stored one below it.
  const [below] = rows
  const hash = below?.number === from - 1 ? below.hash : null
  await sql`update chain_state set undo_count = undo_count + 1,
    unproven = unproven * int8multirange(int8range(null, ${from}::bigint)),
    checkpoint_number = least(checkpoint_number, ${from - 1}::bigint),
    checkpoint_time = case when checkpoint_number >= ${from}::bigint then ${below?.time ?? 0}::bigint else checkpoint_time end,
    checkpoint_hash = case when checkpoint_number >= ${from}::bigint then ${hash}::text else checkpoint_hash end`.execute(
    trx,
  )
  return { isUndone: true, events: decoded, tokens, notifications }
}
