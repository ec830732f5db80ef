// Measures a filled cluster under steady writes, sockets and mixed reads.
import { decimal, flag, integer, text, url } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run bench:cluster',
  about: `Serves an invented chain of tokens and trades over JSON-RPC, lets the service's own indexer write it into one PostgreSQL, and
with --citus also into a coordinator and two workers of Citus that it starts and stops. Then it runs API processes, a block of trades a
second, sockets and mixed reads, and prints requests a second and per core, p50 and p99 of each operation, 5xx, the lag of the indexer,
the delay of messages at sockets, the processor time of each component, and which of them was saturated first. At the end it runs
reindex and audit, each no longer than --command-seconds, and prints the sizes of the tables.`,
  options: {
    tokens: integer('N', 'launched tokens', { min: 100, max: 5_000_000 }, 500_000),
    trades: integer('N', 'trades, at least two for each token', { min: 1_000, max: 100_000_000 }, 10_000_000),
    seconds: integer(
      'N',
      'how long each engine is measured, after a quarter of that as warm-up',
      { min: 4, max: 3_600 },
      60,
    ),
    sockets: integer('N', 'open sockets', { min: 1, max: 20_000 }, 10_000),
    connections: integer('N', 'concurrent requests, reached at the end of the warm-up', { min: 1, max: 200 }, 64),
    rate: integer('N', 'trades in each block, one block a second', { min: 1, max: 1_000 }, 50),
    workers: integer('N', 'WORKERS of the API', { min: 1, max: 64 }, 2),
    'command-seconds': decimal('N', 'longest run of reindex, and of audit', { min: 1, max: 86_400 }, 600),
    citus: flag('measure three nodes of Citus after PostgreSQL; CITUS_INSTALLED or CITUS_SOURCE names the extension'),
    'only-citus': flag('the same without PostgreSQL'),
    'database-url': url(
      'URL',
      'a PostgreSQL server, on which the benchmark creates and drops a database',
      'postgres',
      'postgres://postgres@127.0.0.1:5432/postgres',
    ),
    'redis-url': url('URL', 'a Redis', 'redis', 'redis://127.0.0.1:6379'),
    json: text('FILE', 'also write the results as JSON'),
  },
  exitCodes: '0 measured, 2 it could not run, 130 interrupted.',
  run: async (values) => (await import('./cluster/measure.ts')).measureCluster(values),
})
process.exit()
