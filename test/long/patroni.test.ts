import t, { type Test } from 'tap'
import { WebSocket } from 'ws'
import { startChain } from '../acceptance/support/chain.ts'
import { until } from '../acceptance/support/service.ts'
import { type LoadOptions, startLoad } from '../deploy/patroni/load.ts'
import { findPatroniProblem, type PatroniCluster, startPatroni } from '../deploy/patroni/start-patroni.ts'

const skip = await findPatroniProblem()
const LIMIT_SECONDS = 30
/** What TCP and a busy machine may add. */
const SWITCHOVER_SECONDS = 10

async function start(
  t: Test,
  cluster: PatroniCluster,
  describe: (cluster: PatroniCluster) => Omit<LoadOptions, 'chain'>,
) {
  t.teardown(cluster.stop)
  const load = await startLoad(t, cluster, { chain: await startChain(t), ...describe(cluster) })
  const isWell = () =>
    until(
      () => load.service.request('GET', '/health'),
      ({ status }) => status === 200,
      'all is well',
    )
  const writeMore = async (count: number) => {
    const wanted = load.accepted.length + count
    await until(
      async () => load.accepted.length,
      (written) => written >= wanted,
      `${count} more comments are written`,
    )
  }
  await isWell()
  await writeMore(50)
  return { load, isWell, writeMore }
}

t.test('an asynchronous failover loses commits, which the indexer repairs from the chain', { skip }, async (t) => {
  const { load, isWell, writeMore, cluster } = await startPatroni().then(async (cluster) => ({
    cluster,
    ...(await start(t, cluster, ({ url }) => ({ databaseUrl: url }))),
  }))
  const former = await cluster.waitUntilReplicated()
  const messages: { type: string; code?: string; room?: string; seq?: number }[] = []
  const socket = new WebSocket(`${load.service.url.replace('http', 'ws')}/ws`)
  const subscribe = () => socket.send(JSON.stringify({ type: 'subscribe', room: 'feed' }))
  socket.on('open', subscribe)
  socket.on('message', (data) => messages.push(JSON.parse(String(data))))
  t.teardown(() => socket.terminate())
  await until(async () => messages.some(({ type }) => type === 'comment'), Boolean, 'the socket receives comments')

  const replicated = await load.readCheckpoint()
  await former.holdReplication()
  await writeMore(50)
  await until(
    load.readCheckpoint,
    (checkpoint) => checkpoint > replicated + 5,
    'blocks are indexed that no replica has',
  )
  const reached = await load.readCheckpoint()
  const killed = performance.now()
  await former.kill()
  const gone = performance.now()
  const seconds = await load.untilWritten(killed)
  t.comment(`writes resumed after ${seconds.toFixed(1)} s`)
  t.ok(seconds < LIMIT_SECONDS)
  await isWell()
  await until(async () => messages.some(({ code }) => code === 'REPLAY_GAP'), Boolean, 'the socket gets REPLAY_GAP')
  const before = messages.length
  subscribe()
  await writeMore(20)
  await until(
    async () => messages.slice(before).some(({ type }) => type === 'comment'),
    Boolean,
    'it receives comments again',
  )
  await load.finish()
  const comments = await load.readComments()
  const lost = load.accepted.filter(({ id }) => !comments.has(id))
  t.comment(`${lost.length} of ${load.accepted.length} accepted comments are lost; the checkpoint was ${reached}`)
  t.ok(lost.length > 0, 'the test has lost commits')
  t.ok(
    lost.every(({ sent }) => sent < gone),
    'none of after the failover',
  )
  t.match(load.service.stdout(), 'PostgreSQL has another primary')
  t.match(load.service.stdout(), 'The checkpoint is lower than before')
  const { code, output } = await load.audit()
  t.equal(code, 0, output)
})

for (const [name, describe] of [
  ['several hosts', ({ url }: PatroniCluster) => ({ databaseUrl: url })],
  [
    'HAProxy',
    ({ proxyUrl, proxyReplicaUrl }: PatroniCluster) => ({
      databaseUrl: proxyUrl,
      env: { DATABASE_READ_URL: proxyReplicaUrl },
    }),
  ],
] as const)
  t.test(`by ${name}, the primary is found after a switchover, a hang and a kill`, { skip }, async (t) => {
    const cluster = await startPatroni({ synchronous: true })
    const { load, isWell, writeMore } = await start(t, cluster, describe)
    const measure = async (what: string, limit: number, work: () => Promise<void>) => {
      await cluster.waitUntilReplicated()
      await writeMore(20)
      const begun = performance.now()
      await work()
      const seconds = await load.untilWritten(begun)
      t.comment(`${what}: writes resumed after ${seconds.toFixed(1)} s`)
      t.ok(seconds < limit, what)
      await isWell()
    }
    await measure('switchover', SWITCHOVER_SECONDS, cluster.switchOver)

    const hanging = await cluster.waitUntilReplicated()
    await measure('a primary that hangs', LIMIT_SECONDS, hanging.pause)
    hanging.resume()

    const former = await cluster.waitUntilReplicated()
    await measure('a primary that is killed', LIMIT_SECONDS, former.kill)
    await load.finish()
    const comments = await load.readComments()
    const lost = load.accepted.filter(({ id }) => !comments.has(id))
    t.same(lost, [], `all of ${load.accepted.length} accepted comments are there`)
    t.comment(`responses by status: ${JSON.stringify(load.statuses)}`)
    const { code, output } = await load.audit()
    t.equal(code, 0, output)
  })
