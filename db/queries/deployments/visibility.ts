import { type RawBuilder, sql, type Transaction } from 'kysely'
import type { Database } from '../../schema.ts'

/** Whether operators have removed the launchpad of a row of tokens, which hides its tokens. */
export const isRemoved = (tokens: string): RawBuilder<boolean> => sql`exists (
  select from deployments d where d.address = ${sql.ref(`${tokens}.launchpad`)} and d.removed_at is not null)`

/** Tokens of one transaction: a few milliseconds' work each hundred. */
const CHUNK = 2_000

/**
 * Hides the tokens of a launchpad that was removed, or shows those again that operators have not hidden themselves: some after the
 * number of a token. The caller holds the apply lock. Returns the numbers of those that have changed, and the last one seen; null at
 * the end.
 */
export async function applyVisibility(
  trx: Transaction<Database>,
  launchpad: string,
  after: number,
): Promise<{ changed: number[]; last: number | null }> {
  const { rows } = await sql<{ id: number; changed: boolean }>`
    with own as (
      select t.id, coalesce(m.hidden, false) or ${isRemoved('t')} as hidden
      from tokens t left join token_metadata m on m.token_id = t.id
      where t.launchpad = ${launchpad} and t.id > ${after} order by t.id limit ${CHUNK}
    ), changed as (
      update token_figures f set hidden = own.hidden from own
      where f.token_id = own.id and f.hidden <> own.hidden returning f.token_id
    )
    select own.id, changed.token_id is not null as changed from own left join changed on changed.token_id = own.id`.execute(
    trx,
  )
  const last = rows.length < CHUNK ? null : Math.max(...rows.map(({ id }) => id))
  return { changed: rows.flatMap(({ id, changed }) => (changed ? [id] : [])), last }
}
