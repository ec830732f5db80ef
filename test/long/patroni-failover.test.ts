import t from 'tap'
import { startChain } from '../acceptance/support/chain.ts'
import { noOwnServers } from '../acceptance/support/servers.ts'
import { until } from '../acceptance/support/service.ts'
import { startLoad } from '../deploy/patroni/load.ts'
import { findPatroniProblem, startPatroni } from '../deploy/patroni/start-patroni.ts'

const skip = noOwnServers || (await findPatroniProblem())

t.test('a killed primary of a synchronous cluster loses nothing that was answered', { skip }, async (t) => {
  const begun = performance.now()
  const [cluster, chain] = await Promise.all([startPatroni({ synchronous: true }), startChain(t)])
  t.teardown(cluster.stop)
  t.comment(`a cluster after ${Math.round(performance.now() - begun)} ms`)
  const successor = await cluster.findSynchronous()
  const load = await startLoad(t, cluster, {
    chain,
    databaseUrl: cluster.url,
    env: { DATABASE_READ_URL: successor.url },
  })
  const health = () => load.service.request('GET', '/health')
  await until(health, ({ status, body }) => status === 200 && body.data.readReplica.state === 'ok', 'all is well')
  await until(
    async () => load.accepted.length,
    (count) => count > 50,
    'comments are written',
  )

  const former = await cluster.waitUntilReplicated()
  const killed = performance.now()
  await former.kill()
  const outage = /database \(none of the 3 hosts is a primary: 1 unavailable\)/
  await until(health, ({ body }) => outage.test(body.error ?? ''), 'health reports the outage')
  await until(cluster.findPrimary, (one) => one !== undefined, 'Patroni promotes a replica')
  t.comment(`a new primary after ${Math.round(performance.now() - killed)} ms`)
  const seconds = await load.untilWritten(killed)
  t.comment(`writes resumed after ${seconds.toFixed(1)} s`)
  t.ok(seconds < 30, 'writes resume within 30 s')

  const recovered = await until(health, ({ status }) => status === 200, 'all is well again')
  t.equal(recovered.body.data.readReplica.state, 'promoted', 'the replica of DATABASE_READ_URL is the primary now')
  t.comment(`all is well after ${Math.round(performance.now() - killed)} ms`)
  await load.finish()
  const comments = await load.readComments()
  t.ok(load.accepted.some(({ sent }) => sent > killed))
  t.same(
    load.accepted.filter(({ id }) => !comments.has(id)),
    [],
    'every accepted comment is there',
  )
  t.comment(`${load.accepted.length} comments, responses by status: ${JSON.stringify(load.statuses)}`)
  t.match(load.service.stdout(), 'PostgreSQL has another primary')
  const { code, output } = await load.audit()
  t.equal(code, 0, output)
})
