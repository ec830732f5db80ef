import { createClient } from 'redis'
import t from 'tap'
import { parseEther } from 'viem'
import { isAppError } from '../../errors.ts'
import { openRedisCache } from '../../lib/cache/cache-redis.ts'
import { createFolderStorage } from '../../lib/storage/storage-folder.ts'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { noOwnServers, startPostgres, startRedis } from '../acceptance/support/servers.ts'
import { type Answer, startService, until } from '../acceptance/support/service.ts'
import { signIn } from '../acceptance/support/sign-in.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { createTestDatabase } from '../support/database.ts'
import { singleRedis } from '../support/servers/redis-place.ts'
import { mountSmallDisk } from '../support/servers/small-disk.ts'

const NO_MOUNT = 'file systems cannot be mounted here'

t.test('a full upload disk is reported as STORAGE_FULL', async (t) => {
  const disk = await mountSmallDisk(t, 1)
  if (!disk) return t.pass(NO_MOUNT)
  const storage = createFolderStorage(disk.folder)
  await storage.put('aa-first.png', Buffer.alloc(1000), 'image/png')
  await disk.fill()
  const error = await storage
    .put('bb-second.png', Buffer.alloc(100_000), 'image/png')
    .catch((thrown: unknown) => thrown)
  t.ok(isAppError(error, 'STORAGE_FULL'))
  t.equal((await storage.measure('aa-first.png')) as number | null, 1000, 'files are still served')
  await disk.free()
  await storage.put('bb-second.png', Buffer.alloc(100_000), 'image/png')
})

t.test(
  'a Redis without memory refuses sign-in, and lets no revoked token or flood in',
  { skip: noOwnServers },
  async (t) => {
    const redis = await startRedis(t)
    const { db } = await createTestDatabase(t)
    const admin = createClient({ url: redis.url })
    await admin.connect()
    t.teardown(() => admin.destroy())
    const config = testConfig({ RATE_LIMITS: 'on', RATE_LIMIT_GLOBAL: '20/60', RATE_LIMIT_AUTH: '1000/60' })
    const start = async () => {
      const cache = await openRedisCache(singleRedis(redis.url), { namespace: 'full' })
      const { app } = await createTestApp({ config, services: { db, cache } })
      t.teardown(async () => {
        await app.close()
        await cache.close()
      })
      return app
    }
    const [one, other] = [await start(), await start()]
    const token = one.issueToken(account(1).address.toLowerCase())
    const headers = { authorization: `Bearer ${token}` }
    t.equal(
      (await other.inject({ url: '/auth/me', headers })).statusCode,
      200,
      'the other replica caches that it is valid',
    )
    await admin.configSet({ 'maxmemory-policy': 'noeviction', maxmemory: '1' })

    const wallet = account(1).address
    const nonce = await one.inject({ method: 'POST', url: '/auth/nonce', payload: { wallet } })
    t.match(nonce, { statusCode: 503, headers: { 'x-error-reason': 'CACHE_READ_ONLY' } })
    t.equal(nonce.json().error, 'The cache accepts no writes')
    t.ok(nonce.headers['retry-after'])
    t.match((await one.inject('/health')).json().error, /cache \(accepts no writes\)/)
    t.equal((await one.inject('/ready')).statusCode, 200)
    t.equal((await one.inject({ method: 'POST', url: '/auth/logout', headers })).statusCode, 200)
    t.equal(
      (await other.inject({ url: '/auth/me', headers })).statusCode,
      401,
      'a cached flag does not hide the revocation',
    )
    const statuses = []
    for (let at = 0; at < 25; at++) statuses.push((await one.inject('/tokens')).statusCode)
    t.ok(statuses.includes(200) && statuses.at(-1) === 429, 'each replica counts quotas by itself')

    await admin.configSet('maxmemory', '0')
    t.equal((await other.inject({ method: 'POST', url: '/auth/nonce', payload: { wallet } })).statusCode, 200)
  },
)

t.test(
  'a database without space serves reads, names the reason of 503, and fails health at once',
  { skip: noOwnServers },
  async (t) => {
    const disk = await mountSmallDisk(t, 300)
    if (!disk) return t.pass(NO_MOUNT)
    const [chain, postgres] = await Promise.all([startChain(t), startPostgres(t, disk.folder)])
    const env = { ...chain.env, LOG_LEVEL: 'silent', POLL_INTERVAL_MS: '50' }
    const service = await startService(t, { env, databaseUrl: postgres.url })
    const health = () => service.request('GET', '/health')
    const isWell = ({ status }: Answer) => status === 200
    const launch = async (symbol: string) =>
      createdToken(await chain.send(account(0), calls.create(chain.contracts, symbol, symbol, parseEther('0.1'))))
    const untilIndexed = (token: string) =>
      until(() => service.request('GET', `/tokens/${token}`), isWell, 'the token is indexed')
    const first = await launch('CAT')
    await untilIndexed(first)
    const token = await signIn(service, '', { wallet: account(1).address, account: account(1) })
    await until(health, isWell, 'all is well')

    await disk.fill()
    const second = await launch('DOG')
    const { body } = await until(health, ({ status }) => status === 503, 'health fails')
    t.equal(body.error, 'Failed checks: indexer (cannot write: the database has no space left)')
    const comment = () => service.request('POST', `/tokens/${first}/comments`, { token, body: { text: 'meow' } })
    const refused = await comment()
    t.match(refused, { status: 503, body: { success: false, data: null, error: 'The database has no space left' } })
    t.equal(refused.headers.get('x-error-reason'), 'DATABASE_FULL')
    t.ok(refused.headers.get('retry-after'))
    t.equal((await service.request('GET', '/ready')).status, 200)
    t.equal((await service.request('GET', `/tokens/${first}`)).status, 200)

    await disk.free()
    await untilIndexed(second)
    await until(health, isWell, 'all is well again')
    t.equal((await comment()).status, 200)
  },
)
