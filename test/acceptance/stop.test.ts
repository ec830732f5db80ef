import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t, { type Test } from 'tap'
import { answer, startThirdParty } from '../support/third-party.ts'
import { startChain } from './support/chain.ts'
import { createDatabase, startService, until } from './support/service.ts'

/** A service with a request in flight that ends when the third party behind it is let go. */
async function startBusy(t: Test) {
  const held = Promise.withResolvers<void>()
  t.teardown(held.resolve)
  const provider = await startThirdParty(t, async (...answered) => {
    await held.promise
    answer({ errors: [] }, 404)(...answered)
  })
  const [chain, databaseUrl] = await Promise.all([startChain(t), createDatabase(t)])
  const env = {
    ...chain.env,
    MARKET_DATA_URL: provider.url,
    MARKET_DATA_NETWORK: 'eth',
    MARKET_DATA_TIMEOUT_MS: '60000',
  }
  const service = await startService(t, { env, ...(databaseUrl && { databaseUrl }) })
  const agent = new Agent({ keepAlive: true })
  t.teardown(() => agent.destroy())
  const ask = (path: string) => {
    const sent = request(service.url + path, { agent }).end()
    return new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject))
  }
  // Of nobody before: replicas, and tests, may share the Redis that keeps what the third party said.
  const address = `0x${randomBytes(20).toString('hex')}`
  const slow = ask(`/market/external/${address}`)
  slow.catch(() => {})
  await until(
    async () => provider.received.length,
    (count) => count === 1,
    'the request is in flight',
  )
  return { service, ask, address, slow, release: held.resolve }
}

const isRefused = async (url: string): Promise<boolean> => {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  try {
    await once(socket, 'connect')
    return false
  } catch {
    return true
  } finally {
    socket.destroy()
  }
}

t.test('a stopping service rejects new connections, completes requests in flight, and exits with 0', async (t) => {
  const { service, ask, address, slow, release } = await startBusy(t)
  const idle = await ask('/live')
  const idleClosed = once(idle.socket, 'close')
  await text(idle)

  const stopped = service.stop()
  await until(() => isRefused(service.url), Boolean, 'no connection is taken any more')
  await idleClosed
  t.pass('a connection without a request is closed')

  release()
  const response = await slow
  t.equal(response.statusCode, 404)
  t.same(JSON.parse(await text(response)), { success: false, data: null, error: `No market known for ${address}` })
  t.equal(response.headers.connection, 'close', 'the response closes the connection')
  t.equal(await stopped, 0)
  t.ok(await isRefused(service.url))
})

t.test('a stopping service answers requests on open connections, and closes each with the response', async (t) => {
  const { service, ask, slow, release } = await startBusy(t)
  await text(await ask('/live'))
  const stopped = service.stop()
  for (let isOpen = true; isOpen; ) {
    const response = await ask('/live')
    t.equal(response.statusCode, 200)
    await text(response)
    isOpen = response.headers.connection !== 'close'
  }
  release()
  await text(await slow)
  t.equal(await stopped, 0)
})

t.test('a second signal ends the service at once', async (t) => {
  const { service, slow } = await startBusy(t)
  const lost = slow.then(
    () => false,
    () => true,
  )
  const stopped = service.stop()
  await until(() => isRefused(service.url), Boolean, 'it is stopping')
  t.equal(await service.stop(), 1)
  t.equal(await stopped, 1)
  t.ok(await lost, 'whatever was in flight')
})
