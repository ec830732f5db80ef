import { text } from 'node:stream/consumers'
import pg from 'pg'
import t from 'tap'
import { parseEther } from 'viem'
import { readValue } from '../support/scrape.ts'
import { account, calls } from './support/chain.ts'
import { noOwnServers } from './support/servers.ts'
import { startService, until } from './support/service.ts'
import {
  findWorkers,
  get,
  isRunning,
  type LogLine,
  listChildren,
  logOf,
  scrape,
  startWorkers,
} from './support/workers.ts'

t.test('two workers answer on one port, one process indexes, and metrics add up', { skip: noOwnServers }, async (t) => {
  const { chain, service, databaseUrl } = await startWorkers(t)
  const workers = await findWorkers(service, 2)
  t.notOk(workers.includes(service.pid), 'the first process serves nothing itself')
  const children = listChildren(service.pid)
  t.equal(children.length, 3, 'two workers and an indexer')

  const client = new pg.Client({ connectionString: databaseUrl })
  await client.connect()
  const { rows } = await client.query<{ name: string }>(
    `select distinct split_part(application_name, ':', 2) as name from pg_stat_activity
     where datname = current_database() and application_name like 'slipway indexer%'`,
  )
  await client.end()
  const indexer = children.find((pid) => !workers.includes(pid)) as number
  t.same(rows, [{ name: String(indexer) }], 'only one process has the connections of an indexer')
  await chain.send(account(1), calls.create(chain.contracts, 'Harbour Cat', 'HCAT', parseEther('0.1')))
  await until(
    () => service.request('GET', '/tokens'),
    ({ body }) => body.data.items.length === 1,
    'the token is indexed',
  )
  t.equal((await service.request('GET', '/health')).status, 200)

  const asked = () => logOf(service).filter(({ operation }) => operation === 'getConfig').length
  const counted = async () => {
    const metrics = await scrape(service)
    const requests = readValue(metrics, 'slipway_http_requests_total', { operation: 'getConfig' }) ?? 0
    const durations = readValue(metrics, 'slipway_http_request_duration_seconds_count', { operation: 'getConfig' })
    return { requests, durations, events: readValue(metrics, 'slipway_indexer_batches_total') ?? 0, metrics }
  }
  for (let index = 0; index < 10; index++) await text(await get(`${service.url}/config`))
  const all = await until(counted, ({ requests }) => requests === asked(), 'the requests of both workers are counted')
  t.equal(all.durations, all.requests, 'histograms add up as well')
  t.ok(all.events > 0, 'and what the indexer has done is included')
  t.equal(readValue(all.metrics, 'slipway_indexer_leader'), 1)
  t.equal(
    readValue(all.metrics, 'slipway_indexer_checkpoint_block'),
    Number(await chain.client.getBlockNumber()),
    'a gauge that is the same in all processes is no sum',
  )

  const [killed, other] = workers as [number, number]
  process.kill(killed, 'SIGKILL')
  const isEnd = ({ msg }: LogLine) => msg.startsWith('A worker has ended')
  // Until then it may be handed connections.
  await until(async () => logOf(service).some(isEnd), Boolean, 'its end is logged')
  const [fresh] = await findWorkers(service, 1, (pid) => !workers.includes(pid))
  t.ok(isRunning(other), 'the other one goes on')
  t.equal(listChildren(service.pid).length, 3, 'a killed worker is replaced')
  t.ok(fresh)
  t.match(logOf(service).find(isEnd), { worker: killed, signal: 'SIGKILL', pauseMs: 500 })
  await until(counted, ({ requests }) => requests === asked(), 'what the killed worker had counted stays in the sum')

  const before = listChildren(service.pid)
  t.equal(await service.stop(), 0, 'SIGTERM ends the service')
  t.notOk(before.some(isRunning), 'and all of its processes')
})

t.test('a start without PostgreSQL, Redis or a node is refused', async (t) => {
  const start = startService(t, { env: { WORKERS: '2', REDIS_URL: '' } })
  const error = await start.then(
    () => null,
    ({ message }: Error) => message,
  )
  t.match(error, 'DATABASE_URL is not set; expected a PostgreSQL URL because WORKERS is 2')
  t.match(error, 'REDIS_URL is not set; expected a Redis URL because WORKERS is 2')
  t.match(error, 'RPC_URL is not set; expected the URL of a node because WORKERS is 2')
  t.match(error, 'or WORKERS=1')
})
