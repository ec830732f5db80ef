// Distributes the tables over the nodes of Citus. See db/citus/distribute.ts.
import { integer } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run distribute',
  about: `Distributes the tables of a database over the nodes of Citus: rows of tokens by token, rows of wallets by wallet; every node has the
small tables that these are joined with, and the others stay on the coordinator. A new database is migrated first. Run it again after an
upgrade: it distributes the tables that are new. It is one transaction: an interruption changes nothing. The service can run
meanwhile: its writes wait, which takes seconds in a new database, and as long as copying all rows in an old one.`,
  options: {
    shards: integer(
      '<number>',
      'parts of each table, which a later run does not change: as many as you may ever have cores on workers',
      { min: 1, max: 1_024 },
      32,
    ),
  },
  notes: `Environment, as for the service:
  DATABASE_URL   the database on the coordinator, where the extension and the workers are already: see docs/operations.md`,
  exitCodes: '0 distributed, or nothing to do; 2 the command could not run.',
  run: async (values) => (await import('./commands/distribute.ts')).distributeDatabase(values),
})
