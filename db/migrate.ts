import { type Kysely, type Migration, Migrator, sql } from 'kysely'
import * as chain from './migrations/0001-chain.ts'
import * as people from './migrations/0002-people.ts'
import * as social from './migrations/0003-social.ts'
import * as staking from './migrations/0004-staking.ts'
import * as raises from './migrations/0005-raises.ts'
import * as outbox from './migrations/0006-outbox.ts'
import * as tokenList from './migrations/0007-token-list.ts'
import * as balances from './migrations/0008-balances.ts'
import * as raiseFigures from './migrations/0009-raise-figures.ts'
import * as raiseDescribedAt from './migrations/0010-raise-described-at.ts'
import * as raisesRunning from './migrations/0011-raises-running.ts'
import * as proposalStates from './migrations/0012-proposal-states.ts'
import * as actionsOfProposals from './migrations/0013-actions-of-proposals.ts'
import * as shownComments from './migrations/0014-shown-comments.ts'
import * as revokedTokens from './migrations/0015-revoked-tokens.ts'
import * as indexerLease from './migrations/0016-indexer-lease.ts'
import * as marketRules from './migrations/0018-market-rules.ts'
import * as creations from './migrations/0019-creations.ts'
import * as failedImages from './migrations/0020-failed-images.ts'
import type { Database } from './schema.ts'

const UNDEFINED_TABLE = '42P01'

/** Every migration, in the order in which it landed. Forward only; a file that has landed is never edited. */
const migrations: Record<string, Migration> = {
  '0001-chain': chain,
  '0002-people': people,
  '0003-social': social,
  '0004-staking': staking,
  '0005-raises': raises,
  '0006-outbox': outbox,
  '0007-token-list': tokenList,
  '0008-balances': balances,
  '0009-raise-figures': raiseFigures,
  '0010-raise-described-at': raiseDescribedAt,
  '0011-raises-running': raisesRunning,
  '0012-proposal-states': proposalStates,
  '0013-actions-of-proposals': actionsOfProposals,
  '0014-shown-comments': shownComments,
  '0015-revoked-tokens': revokedTokens,
  '0016-indexer-lease': indexerLease,
  '0018-market-rules': marketRules,
  '0019-creations': creations,
  '0020-failed-images': failedImages,
}

/** Brings the schema up to date. Runs under Kysely's advisory lock, so any number of processes may start at once. */
export async function migrateToLatest(db: Kysely<Database>): Promise<readonly string[]> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => migrations } })
  const { error, results } = await migrator.migrateToLatest()
  if (error) throw error
  return (results ?? []).map((result) => result.migrationName)
}

/**
 * For what must not change the schema.
 * @throws Error that says what to do, when the schema is older or newer than this version
 */
export async function requireCurrentSchema(db: Kysely<Database>): Promise<void> {
  const found = await sql<{ name: string }>`select name from kysely_migration`.execute(db).catch((error: unknown) => {
    if ((error as { code?: unknown }).code === UNDEFINED_TABLE) return { rows: [] }
    throw error
  })
  const applied = new Set(found.rows.map(({ name }) => name))
  const newest = [...applied].sort().at(-1) ?? 'none'
  if ([...applied].some((name) => !(name in migrations))) {
    throw new Error(
      `The schema of the database (${newest}) is newer than this version. Use the version of the service.`,
    )
  }
  if (Object.keys(migrations).some((name) => !applied.has(name))) {
    throw new Error(
      `The schema of the database (${newest}) is older than this version. Start the service, which brings it up to date, or use ` +
        'the version of the service.',
    )
  }
}
