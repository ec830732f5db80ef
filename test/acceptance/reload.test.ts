import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent } from 'node:http'
import { text } from 'node:stream/consumers'
import t from 'tap'
import WebSocket from 'ws'
import { readValue } from '../support/scrape.ts'
import { answer, startThirdParty } from '../support/third-party.ts'
import { noOwnServers } from './support/servers.ts'
import { until } from './support/service.ts'
import { findWorkers, get, isRunning, logOf, scrape, startWorkers } from './support/workers.ts'

/** Requests of a worker to the provider at the same time, at most. */
const AT_ONCE = 8

t.test('SIGHUP replaces all workers without a failed request', { skip: noOwnServers }, async (t) => {
  const held = Promise.withResolvers<void>()
  t.teardown(held.resolve)
  const provider = await startThirdParty(t, async (...answered) => {
    await held.promise
    answer({ errors: [] }, 404)(...answered)
  })
  const { service } = await startWorkers(t, {
    ROLE: 'api',
    MARKET_DATA_URL: provider.url,
    MARKET_DATA_NETWORK: 'eth',
    MARKET_DATA_TIMEOUT_MS: '60000',
  })
  const former = await findWorkers(service, 2)

  const open: ReturnType<typeof get>[] = []
  await until(
    async () => {
      open.push(get(`${service.url}/market/external/0x${randomBytes(20).toString('hex')}`))
      open.at(-1)?.catch(() => {})
      return provider.received.length
    },
    (count) => count > AT_ONCE,
    'both workers have open requests',
  )
  const socket = new WebSocket(`${service.url.replace('http', 'ws')}/ws`)
  await once(socket, 'open')
  const socketClosed = once(socket, 'close')

  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  t.teardown(() => agent.destroy())
  let isOver = false
  const failures: unknown[] = []
  let answered = 0
  const ask = async (of: Agent | false) => {
    while (!isOver) {
      try {
        const response = await get(`${service.url}/config`, of)
        await text(response)
        if (response.statusCode === 200) answered++
        else failures.push(response.statusCode)
      } catch (error) {
        failures.push(error)
      }
    }
  }
  const load = [agent, agent, agent, agent, false as const, false as const].map(ask)
  const said = (message: string) => logOf(service).filter(({ msg }) => msg.startsWith(message))
  const hasSaid = (message: string, count: number) =>
    until(
      async () => said(message).length,
      (times) => times >= count,
      message,
    )
  process.kill(service.pid, 'SIGHUP')
  await hasSaid('Another worker has taken over', 1)
  const during = answered
  await until(
    async () => answered,
    (count) => count > during,
    'requests are answered while a worker waits for its open request',
  )
  t.ok(isRunning(said('Another worker has taken over')[0]!.pid), 'it waits')
  held.resolve()
  const completed = await Promise.all(open)
  t.same(
    completed.map(({ statusCode }) => statusCode),
    open.map(() => 404),
    'open requests are completed',
  )
  await hasSaid('Reloaded', 1)
  await socketClosed
  t.pass('sockets are closed')
  isOver = true
  await Promise.all(load)
  t.same(failures, [])
  t.ok(answered > 100, `${answered} requests were answered`)
  t.notOk(former.some(isRunning), 'no former worker is left')
  const fresh = await findWorkers(service, 2, (pid) => !former.includes(pid))
  t.equal(fresh.length, 2)

  const asked = () => logOf(service).filter(({ operation }) => operation === 'getConfig').length
  await until(
    async () => readValue(await scrape(service), 'slipway_http_requests_total', { operation: 'getConfig' }),
    (counted) => counted === asked(),
    'what retired workers have counted stays in the sum',
  )
  t.equal(await service.stop(), 0)
})
