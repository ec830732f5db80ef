// Measures reads over HTTP.
import { choice, choices, flag, integer, url } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

const PARTS = ['hot', 'memory', 'cold', 'lists', 'search'] as const
const COUNT = { min: 1, max: 100_000_000 }

await runCommand({
  command: 'npm run bench:reads',
  about: `Fills two databases with tokens, runs the service in a separate process and measures reads over HTTP: hot reads and
304s against a bare node:http server that sends the same bytes; the memory of a service that answers 1,000 popular URLs;
and with a service that keeps no answers: reads of tokens against Fastify's hello-world, a page of every list against a
page of the small database, and searches.`,
  options: {
    tokens: integer('N', 'tokens in the large database', COUNT, 1_000_000),
    small: integer('N', 'tokens in the small database', COUNT, 10_000),
    trades: integer('N', 'with --vs: trades of 40 tokens', COUNT, 150_000),
    rounds: integer('N', 'rounds per comparison, of which medians are printed', { min: 1, max: 1_000 }, 5),
    'database-url': url(
      'URL',
      'a PostgreSQL server, on which the benchmark creates and drops its databases',
      'postgres',
      'postgres://postgres@127.0.0.1:5432/postgres',
    ),
    'redis-url': url(
      'URL',
      'Redis in which the service counts quotas; by default it counts in its own process',
      'redis',
    ),
    workers: integer(
      'N',
      'WORKERS of the service, whose peers stay single processes; above 1 with --redis-url',
      { min: 1, max: 64 },
      1,
    ),
    only: choices('PARTS', 'comma-separated parts', PARTS),
    vs: choice(
      'ponder',
      'instead of that, ask Ponder 0.16.10 and the service the same questions about the same trades',
      ['ponder'],
    ),
    keep: flag(
      "keep the databases (with --vs: the chain and Ponder's installation) after the run, and reuse those of an earlier run",
    ),
  },
  exitCodes: '0 measured, 2 it could not run.',
  run: async (values) => (await import('./reads/measure.ts')).measureReads(values),
})
process.exit()
