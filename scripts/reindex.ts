// Rebuilds every derived table from the stored logs. See indexer/engine/reindex.ts.
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run reindex',
  about: `Rebuilds all chain-derived tables (trades, candles, balances, figures) from the logs in the database, without a node. Profiles,
metadata, claims and decisions of operators are kept. It is one transaction: readers see the old tables until the new ones are
complete, and an interruption changes nothing. It takes the lease of the indexers: it fails while an indexer is active, and no
indexer becomes active meanwhile. Receipt syncs get 503 until it is done.`,
  notes: `Environment, as for the service:
  DATABASE_URL   PostgreSQL; unset: the embedded database in DATA_DIR (stop the service first)`,
  exitCodes: '0 rebuilt, 2 the rebuild could not run.',
  run: async () => (await import('./commands/reindex.ts')).rebuildTables(),
})
