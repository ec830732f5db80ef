import { sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import type { Config } from '../../../config/config.ts'
import { DEAD_ADDRESS } from '../../../db/addresses.ts'
import { bytes, columnToBytes } from '../../../db/hex.ts'
import { LAUNCH_TRADES } from '../../../db/queries/forensics/classify-buyers.ts'
import { recipientOf } from '../../../db/queries/trade-columns.ts'
import type { Database } from '../../../db/schema.ts'
import type { Deltas } from '../deltas.ts'
import type { TokenFigures } from '../token-figures.ts'

/**
 * Finds again who bought tokens within SNIPER_SECONDS of their first trade, by the rule of classifyBuyers, where trades so early
 * were added or undone. Reads the stored trades. figures: as they were loaded, of tokens that are launched.
 */
export async function storeSnipers(
  trx: Transaction<Database>,
  { tokens }: Pick<Deltas, 'tokens'>,
  figures: ReadonlyMap<string, Pick<TokenFigures, 'id' | 'snipersUntil'>>,
): Promise<void> {
  const changed = [...figures].flatMap(([token, { id, snipersUntil }]) => {
    const earliest = tokens.get(token)?.earliestTrade
    return earliest !== undefined && (snipersUntil === null || earliest <= snipersUntil) ? [id] : []
  })
  if (changed.length === 0) return
  const ids = sql`any(${changed}::integer[])`
  await sql`
    update token_figures f set first_trade_at = (
      select e.block_time from trades e where e.token_id = f.token_id order by e.block_number, e.log_index limit 1)
    where f.token_id = ${ids}`.execute(trx)
  await sql`delete from snipers where token_id = ${ids}`.execute(trx)
  await sql`
    insert into snipers (token_id, wallet)
    select distinct f.token_id, l.wallet
    from token_figures f join tokens t on t.id = f.token_id
    cross join (select sniper_seconds from chain_state limit 1) s
    cross join lateral (
      select ${recipientOf('e')} as wallet, e.side, e.block_time
      from trades e where e.token_id = f.token_id order by e.block_number, e.log_index limit ${sql.lit(LAUNCH_TRADES)}
    ) l
    where f.token_id = ${ids} and l.side = 'b' and l.block_time <= f.first_trade_at + s.sniper_seconds
      and l.wallet <> all(array[${columnToBytes('t.creator')}, ${columnToBytes('t.launchpad')}, ${columnToBytes('t.address')},
        ${bytes(zeroAddress)}, ${bytes(DEAD_ADDRESS)}])`.execute(trx)
}

/** Another value changes the snipers of all launches, so all derived tables are rebuilt. */
export async function storeSniperSeconds(
  trx: Transaction<Database>,
  { sniperSeconds }: Pick<Config, 'sniperSeconds'>,
): Promise<void> {
  const { numUpdatedRows } = await trx
    .updateTable('chain_state')
    .set({ sniper_seconds: sniperSeconds })
    .where('sniper_seconds', '<>', sniperSeconds)
    .executeTakeFirstOrThrow()
  if (numUpdatedRows === 0n) return
  const launched = await trx.selectFrom('tokens').select('id').limit(1).executeTakeFirst()
  if (launched) await trx.updateTable('chain_state').set({ rules: 0 }).execute()
}
