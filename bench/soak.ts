// Measures memory and delays of a service under steady mixed load.
import { decimal, integer, url } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run bench:soak',
  about: `Runs a service (PostgreSQL, Redis, anvil with a trading market) in a separate process and loads it from another process: hot
reads, lists, charts, searches, uploads, link previews, comments, likes, sign-ins, receipt syncs, RPC proxy calls, and sockets that
subscribe, unsubscribe, disconnect and replay. Prints a line per minute and, at the end, a verdict: the slope of the memory after
the warm-up. It sends requests to 127.0.0.1 only, and stops by itself.`,
  options: {
    minutes: decimal('N', 'how long', { min: 1, max: 240 }, 5),
    'warm-up': decimal('N', 'minutes at the start that are not measured; default a third of --minutes, at most 15', {
      min: 0,
      max: 240,
    }),
    sockets: integer('N', 'sockets', { min: 1, max: 10_000 }, 1_000),
    rate: integer('N', 'requests a second', { min: 1, max: 5_000 }, 300),
    growth: decimal('N', 'maximum growth of memory per hour, in percent of its mean', { min: 1, max: 100 }, 10),
    'database-url': url(
      'URL',
      'a PostgreSQL server, on which the benchmark creates and drops a database',
      'postgres',
      'postgres://postgres@127.0.0.1:5432/postgres',
    ),
    'redis-url': url('URL', 'a Redis', 'redis', 'redis://127.0.0.1:6379'),
  },
  exitCodes:
    '0 good, 1 memory grew, a response was a 5xx or the rate was not reached, 2 it could not run, or was too short for a verdict.',
  run: async (values) => (await import('./soak/measure.ts')).soak(values),
})
process.exit()
