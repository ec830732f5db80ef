import { type RawBuilder, sql, type Transaction } from 'kysely'
import { lockForApply } from '../../../db/apply-lock.ts'
import type { Db } from '../../../db/client.ts'
import { applyVisibility } from '../../../db/queries/deployments/visibility.ts'
import { enqueueEvents, toChangeEvent } from '../../../db/queries/outbox.ts'
import type { Database } from '../../../db/schema.ts'
import { ALL_CACHE_TAGS } from '../../../lib/cache/data-versions.ts'
import type { IndexerModule } from '../module.ts'

/** The contracts that are being backfilled, with the blocks from which on the head is followed, as a column. */
export const backfillingColumn: RawBuilder<Record<string, number>> = sql`(
  select coalesce(jsonb_object_agg(address, followed_from), '{}') from deployments
  where followed_from is not null and completed_at is null)`

/** The first block of the contracts that operators have added, as a column; null without any. */
export const firstAddedColumn = sql<number | null>`(
  select min(start_block) from deployments where followed_from is not null)`

const kindsOf = (modules: readonly Pick<IndexerModule, 'deployments'>[]) =>
  modules.flatMap(({ deployments }) => deployments)

/** Whether operators have added contracts that the indexer does not follow yet. A newer version may know further kinds. */
export async function hasAdded(db: Db, modules: readonly Pick<IndexerModule, 'deployments'>[]): Promise<boolean> {
  const row = await selectAdded(db, kindsOf(modules)).limit(1).executeTakeFirst()
  return row !== undefined
}

const selectAdded = (db: Db, kinds: readonly string[]) =>
  db
    .selectFrom('deployments')
    .select(['address', 'kind'])
    .where('followed_from', 'is', null)
    .where('removed_at', 'is', null)
    .where('kind', 'in', kinds)

/** Shows the tokens of contracts that operators have removed and DEPLOYMENTS names now, which is what counts. */
export async function showConfigured(
  trx: Transaction<Database>,
  configured: readonly { address: string }[],
): Promise<void> {
  const { rows } = await sql<{ address: string }>`
    update deployments set removed_at = null
    where removed_at is not null and address = any(${configured.map(({ address }) => address)}::text[]) returning address`.execute(
    trx,
  )
  if (rows.length === 0) return
  await lockForApply(trx)
  for (const { address } of rows)
    for (let after: number | null = 0; after !== null; ) after = (await applyVisibility(trx, address, after)).last
  await enqueueEvents(trx, [toChangeEvent(ALL_CACHE_TAGS, 'all')])
}

/**
 * Adds the contracts that operators have added to those whose logs are indexed, from the checkpoint on. What is before is left to
 * the backfill of each. None has a history of its own that is shared, indexed already, or of later blocks.
 */
export async function followAdded(trx: Transaction<Database>, modules: readonly IndexerModule[]): Promise<void> {
  if (!(await hasAdded(trx, modules))) return
  // Another process may follow them meanwhile: to this one they would seem indexed already, without a history to read.
  await lockForApply(trx)
  for (const { name, deployments, shared = [] } of modules) {
    for (const { address, kind } of await selectAdded(trx, deployments).orderBy('added_at').execute()) {
      const known = await sql`
        update chain_state set contracts = contracts || jsonb_build_object(${name}::text,
            coalesce(contracts -> ${name}::text, '[]') || to_jsonb(${address}::text)),
          contract_kinds = contract_kinds || jsonb_build_object(${address}::text, ${kind}::text)
        where not coalesce(contracts -> ${name}::text, '[]') ? ${address}::text returning id`.execute(trx)
      const isComplete = known.rows.length === 0 || shared.includes(kind)
      // Citus accepts no now() within a case.
      await sql`
        update deployments set followed_from = checkpoint_number,
          completed_at = case when ${isComplete}::boolean or start_block > checkpoint_number then ${new Date()}::timestamptz end
        from chain_state where address = ${address}`.execute(trx)
    }
  }
}
