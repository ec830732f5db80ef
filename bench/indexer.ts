// Measures a backfill of a dense chain.
import { choice, flag, integer, text, url } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

const COUNT = { min: 1, max: 100_000_000 }

await runCommand({
  command: 'npm run bench:indexer',
  about: 'Fills a chain with trades, backfills it into PostgreSQL and into PGlite, and prints trades per second.',
  options: {
    trades: integer('N', 'trades on the chain', COUNT, 150_000),
    blocks: integer('N', 'blocks of these trades', COUNT, 60),
    shape: choice(
      'SHAPE',
      'dense: every wallet trades every token alike; long-tail: four fifths of the trades are of a hundredth of the wallets, and on a hundredth of the tokens; most others have one to three',
      ['dense', 'long-tail'],
      'dense',
    ),
    tokens: integer('N', 'traded tokens; default 40, with long-tail 10000', COUNT),
    traders: integer('N', 'trading wallets; default 600, with long-tail 20000', COUNT),
    runs: integer('N', 'runs per target, of which medians are printed', { min: 1, max: 1_000 }, 1),
    'database-url': url(
      'URL',
      'a PostgreSQL server, on which the benchmark creates and drops a database',
      'postgres',
      'postgres://postgres@127.0.0.1:5432/postgres',
    ),
    only: choice('TARGET', 'postgres or pglite: only that database', ['postgres', 'pglite']),
    vs: choice(
      'ponder',
      'also index the chain into PostgreSQL with Ponder 0.16.10, installed from npm into a temporary folder',
      ['ponder'],
    ),
    pglite: flag('with --vs: also run Ponder on PGlite'),
    anvil: flag(
      'serve the chain by anvil, which limits both indexers to about 25,000 logs a second. By default a recording of the chain is served from memory',
    ),
    reuse: flag("keep the recorded chain and Ponder's installation in the temporary folder, and reuse them"),
    sizes: flag('print the bytes per row of each table in PostgreSQL'),
    statements: flag('print the time of each SQL statement, with its wait for those sent before it'),
    profile: text('DIR', 'write a CPU profile of each Slipway run'),
  },
  exitCodes: '0 measured, 2 it could not run.',
  run: async (values) => (await import('./indexer/measure.ts')).measureBackfills(values),
})
