// Measures sockets under load.
import { choice, decimal, flag, integer, url } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

const PARTS = ['broadcast', 'latency', 'soak', 'views'] as const

await runCommand({
  command: 'npm run bench:socket',
  about: `broadcast: sends one message to many sockets and compares with a bare loop of ws.
latency: measures the time from a block to a client, and where it goes.
soak: measures the memory of a service whose sockets never read.
views: measures the time from a commit to the last of many sockets that follow live views, and compares with requests of the lists.`,
  arguments: { part: choice('PART', `what to measure: ${PARTS.join(', ')}`, PARTS, 'broadcast') },
  options: {
    sockets: integer('N', 'sockets; default 10000, with soak and views 1000', { min: 1, max: 100_000 }),
    rounds: integer('N', 'with broadcast: rounds; with views: commits', { min: 1, max: 10_000 }, 15),
    views: integer('N', 'with views: different views', { min: 1, max: 1_000 }, 50),
    tokens: integer('N', 'with views: tokens in the database', { min: 100, max: 100_000_000 }, 100_000),
    trades: integer('N', 'with latency: trades', { min: 1, max: 100_000 }, 200),
    'database-url': url(
      'URL',
      'with latency and views: a PostgreSQL server, on which the benchmark creates and drops a database',
      'postgres',
      'postgres://postgres@127.0.0.1:5432/postgres',
    ),
    pglite: flag('with latency: use PGlite instead'),
    minutes: decimal('N', 'with soak: how long', { min: 0.1, max: 1_440 }, 10),
  },
  exitCodes: '0 measured, 2 it could not run.',
  run: async ({ part, sockets, rounds, views, tokens, trades, minutes, pglite, 'database-url': databaseUrl }) => {
    if (part === 'latency')
      await (await import('./socket/latency.ts')).measureLatency(trades, pglite ? null : databaseUrl)
    else if (part === 'soak') await (await import('./socket/soak.ts')).soak(sockets ?? 1_000, minutes)
    else if (part === 'views')
      await (await import('./socket/views.ts')).measureViews({
        sockets: sockets ?? 1_000,
        views,
        tokens,
        rounds,
        databaseUrl,
      })
    else await (await import('./socket/broadcast.ts')).measureBroadcast(sockets ?? 10_000, rounds)
  },
})
process.exit()
