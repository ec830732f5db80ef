import { type Kysely, sql } from 'kysely'
import type { SetupProblem } from '../errors.ts'
import type { Database } from './schema.ts'

/*
 * The first six migrations are baselines: each creates the tables of an area. They replace the migrations of the versions
 * before them, which led to the same schema. A database that has all of these takes the baselines as applied; one that
 * lacks some is refused, because no migration from its schema exists here.
 */

/** The last commit with the replaced migrations, which brings a database of any version before it to the schema of the baselines. */
const LAST_COMMIT = '4449e21fb3066149866fa43025f9b6d3bd10f2d6'

const BASELINES = ['0001-indexer', '0002-market', '0003-user-content', '0004-raises', '0005-staking', '0006-service']

const REPLACED = `
  0001-chain 0002-people 0003-social 0004-staking 0005-raises 0006-outbox 0007-token-list 0008-balances 0009-raise-figures
  0010-raise-described-at 0011-raises-running 0012-proposal-states 0013-actions-of-proposals 0014-shown-comments
  0015-revoked-tokens 0016-indexer-lease 0018-market-rules 0019-creations 0020-failed-images 0021-undo-count
  0022-native-symbol 0023-table-comments 0025-contract-uris 0030-bulk-load 0040-final-rows 0041-erase-deleted-texts
  0042-taken-symbols 0043-hash-indexes 0050-log-recovery 0055-unproven-blocks 0060-raise-exits 0068-metadata-reads
  0069-folded-search 0070-fee-shares 0071-passed-votes 0072-contracts-by-module`
  .trim()
  .split(/\s+/)

/** Kysely's key of the advisory lock that it migrates under. */
export const MIGRATION_LOCK = 3_853_314_791_062_309_107n

const UNDEFINED_TABLE = '42P01'

interface AppliedMigrations {
  /** In their order. */
  names: string[]
  /** none: it has no migrations, or those of this or a later version. all: it has the schema of the baselines. */
  replaced: 'none' | 'some' | 'all'
}

/** Reads the applied migrations. The table `conversions` is that of a replaced migration which is still converting rows. */
export async function readApplied(db: Kysely<Database>): Promise<AppliedMigrations> {
  const { rows } = await sql<{ name: string; converting: boolean }>`
    select name, to_regclass('conversions') is not null as converting from kysely_migration order by name collate "C"`
    .execute(db)
    .catch((error: unknown) => {
      if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return { rows: [] }
      throw error
    })
  const names = rows.map(({ name }) => name)
  if (names.length === 0 || !names.every((name) => REPLACED.includes(name))) return { names, replaced: 'none' }
  return { names, replaced: names.length === REPLACED.length && !rows[0]?.converting ? 'all' : 'some' }
}

/** The applied migrations by the names of this version. */
export const toCurrentNames = ({ names, replaced }: AppliedMigrations): readonly string[] =>
  replaced === 'all' ? BASELINES : names

/** Records the baselines in place of the migrations that they replace. Any number of processes may do so at once. */
export async function adoptBaselines(db: Kysely<Database>): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(${MIGRATION_LOCK}::bigint)`.execute(trx)
    // Another process may have done it while this one waited for the lock.
    if ((await readApplied(trx)).replaced !== 'all') return
    await sql`delete from kysely_migration`.execute(trx)
    await sql`insert into kysely_migration (name, timestamp)
      select name, ${new Date().toISOString()} from unnest(${BASELINES}::text[]) name`.execute(trx)
  })
}

/** Why a database that has some of the replaced migrations is refused. */
export const describeOutdated = (newest: string): Omit<SetupProblem, 'variable'> => ({
  problem: `the schema of the database (${newest}) is too old for this version`,
  remedy:
    `Back the database up, check out commit ${LAST_COMMIT} of the service, start it once on this database, which ` +
    'migrates it, and stop it. Then start this version',
})
