// Measures filtered token lists.
import { flag, integer, url } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

const COUNT = { min: 1, max: 100_000_000 }

await runCommand({
  command: 'npm run bench:screener',
  about: `Fills a database with tokens, runs the service in a separate process that keeps no responses, and requests the token list
with random filters, orders, pages and cursors. Prints the time until the figures are in memory, p50 and p99 of a request and of the
search in memory alone, and the memory that the figures take.`,
  options: {
    tokens: integer('N', 'tokens in the database', COUNT, 100_000),
    filters: integer('N', 'random filters', COUNT, 200),
    rounds: integer('N', 'requests of each filter', { min: 1, max: 1_000 }, 5),
    seed: integer('N', 'seed of the filters', { min: 0, max: 2 ** 31 - 1 }, 1),
    'database-url': url(
      'URL',
      'a PostgreSQL server, on which the benchmark creates and drops its database',
      'postgres',
      'postgres://postgres@127.0.0.1:5432/postgres',
    ),
    keep: flag('keep the database after the run, and reuse that of an earlier run'),
  },
  exitCodes: '0 measured, 2 it could not run.',
  run: async (values) => (await import('./screener/measure.ts')).measureScreener(values),
})
process.exit()
