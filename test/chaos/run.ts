// Faults at random against a whole service, and proof that nothing was lost.
import { randomInt } from 'node:crypto'
import { resolve } from 'node:path'
import { decimal, flag, integer, text } from '../../lib/commands/options.ts'
import { runCommand } from '../../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run chaos',
  about: `Starts a service of two APIs and two indexers, with a PostgreSQL and its streaming replica, a Redis and a chain behind two nodes, all
of its own, on this machine. While a market trades and clients write, read and follow lists, it kills, pauses and cuts off one thing
after another, with wrong answers of nodes and reorgs. In the end the faults stop, and it checks that the index equals the chain and a
fresh index, that every write which was accepted is stored once, that sockets have what the lists have, and that no response was an
unexpected one. With --upgrade nothing fails: the service begins as another version, and one process after another is replaced by this
version, then by the other one again, and so on; no client may see an error. With --citus the database is a coordinator and two workers
of Citus instead, whose disks are not filled. Needs PostgreSQL (/usr/lib/postgresql) and redis-server.`,
  options: {
    minutes: decimal('N', 'how long faults go on', { min: 0.5, max: 1_440 }, 30),
    seed: integer('N', 'chooses the faults: the same ones for the same seed; default: any', { min: 0, max: 2 ** 31 }),
    upgrade: text('FOLDER', 'the other version of a rolling upgrade, with its dependencies installed'),
    citus: flag('on Citus: an installed one, or its unpacked source in CITUS_SOURCE'),
    keep: flag('keep the logs of the processes'),
  },
  exitCodes: '0 everything holds, 1 something does not, 2 it could not run.',
  run: async ({ minutes, seed = randomInt(2 ** 31), upgrade, citus, keep }) => {
    const stop = new AbortController()
    for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort())
    const { playChaos } = await import('./play.ts')
    const kind = { databaseKind: citus ? 'citus' : 'postgres', upgrade: upgrade && resolve(upgrade) } as const
    return (await playChaos({ ...kind, minutes, seed, keep, stop: stop.signal })) ? 0 : 1
  },
})
process.exit()
