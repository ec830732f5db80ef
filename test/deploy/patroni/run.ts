// Starts a cluster of Patroni to try a failover by hand.
import { once } from 'node:events'
import { flag } from '../../../lib/commands/options.ts'
import { runCommand } from '../../../lib/commands/run-command.ts'
import { findPatroniProblem, startPatroni } from './start-patroni.ts'

await runCommand({
  command: 'node test/deploy/patroni/run.ts',
  about: `Starts etcd, three nodes of Patroni and HAProxy on free local ports, in a temporary folder, prints their URLs, and stops them on
Ctrl-C. Needs the Debian packages patroni, etcd-server, haproxy and postgresql.`,
  options: { asynchronous: flag('commits wait for no replica') },
  exitCodes: '0 stopped; 2 they could not be started.',
  run: async ({ asynchronous }) => {
    const problem = await findPatroniProblem()
    if (problem) throw new Error(`Something is missing: ${problem}`)
    const cluster = await startPatroni({ synchronous: !asynchronous })
    const interrupted = once(process, 'SIGINT')
    console.log(`DATABASE_URL='${cluster.url}'
or, through HAProxy:
DATABASE_URL='${cluster.proxyUrl}'
DATABASE_READ_URL='${cluster.proxyReplicaUrl}'

patronictl -c ${cluster.folder}/node1.yml list`)
    await interrupted
    await cluster.stop()
  },
})
