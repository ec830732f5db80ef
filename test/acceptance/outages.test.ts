import { setTimeout as sleep } from 'node:timers/promises'
import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain } from './support/chain.ts'
import { noOwnServers, startPostgres, startRedis } from './support/servers.ts'
import { type Answer, type RequestOptions, type Service, startService, until } from './support/service.ts'
import { login, signIn } from './support/sign-in.ts'

const people = [account(1), account(2)] as const
const MANY = '1000000/60'

/** Clients that go on asking, and what was wrong with the answers: a status or a shape that an outage does not excuse. */
function startLoad(t: Test, asks: readonly (() => Promise<Answer>)[]) {
  const problems = new Set<string>()
  const seen = new Map<number, number>()
  let isRunning = true
  const examine = ({ status, headers, body }: Answer, index: number) => {
    seen.set(status, (seen.get(status) ?? 0) + 1)
    if (status < 500) return
    if (status !== 503) problems.add(`request ${index} answered ${status}: ${body.error}`)
    if (!headers.get('retry-after')) problems.add(`request ${index} answered ${status} without Retry-After`)
    if (body.success !== false || body.data !== null || typeof body.error !== 'string')
      problems.add(`request ${index} answered ${status} with ${JSON.stringify(body)}`)
  }
  const clients = [0, 1, 2].map(async (client) => {
    for (let turn = client; isRunning; turn++) {
      const index = turn % asks.length
      await asks[index]?.().then(
        (answer) => examine(answer, index),
        (error: unknown) => problems.add(`request ${index} was not answered: ${error}`),
      )
      await sleep(2)
    }
  })
  const stop = async () => {
    isRunning = false
    await Promise.all(clients)
  }
  t.teardown(stop)
  return { problems, seen, stop }
}

async function startWatched(t: Test) {
  const [chain, redis, postgres] = await Promise.all([startChain(t), startRedis(t), startPostgres(t)])
  const env = {
    ...chain.env,
    REDIS_URL: redis.url,
    LOG_LEVEL: 'silent',
    RATE_LIMITS: 'on',
    ...{ RATE_LIMIT_GLOBAL: MANY, RATE_LIMIT_AUTH: MANY, RATE_LIMIT_READ_HEAVY: MANY },
  }
  const service = await startService(t, { env, databaseUrl: postgres.url })
  const receipt = await chain.send(people[0], calls.create(chain.contracts, 'Cat', 'CAT', parseEther('0.1')))
  const token = createdToken(receipt)
  const ask = (method: string, path: string, options?: RequestOptions) => service.request(method, path, options)
  await until(
    () => ask('GET', `/tokens/${token}`),
    ({ status }) => status === 200,
    'the token is indexed',
  )
  const jwt = await signIn(service, '', { wallet: people[0].address, account: people[0] })
  const revoked = await signIn(service, '', { wallet: people[1].address, account: people[1] })
  await ask('POST', '/auth/logout', { token: revoked })
  const load = startLoad(t, [
    () => ask('GET', '/tokens'),
    () => ask('GET', `/api/tokens/${token}`, { token: jwt }),
    () => ask('GET', '/search?q=cat'),
    () => ask('GET', '/stats'),
    () => ask('GET', `/tokens/${token}/comments`, { token: revoked }),
    () => ask('GET', '/notifications', { token: jwt }),
    () => ask('POST', `/tokens/${token}/like`, { token: jwt }),
    () => ask('DELETE', `/api/tokens/${token}/like`, { token: jwt }),
    () => ask('POST', `/tokens/${token}/comments`, { token: jwt, body: { text: 'meow' } }),
    () => ask('POST', '/auth/nonce', { body: { wallet: people[0].address } }),
    () => ask('POST', '/buy', { token: jwt, body: { txHash: receipt.transactionHash } }),
    () => ask('GET', '/nowhere'),
  ])
  return { chain, service, redis, postgres, load, token, jwt, revoked, ask }
}

const health = (service: Service) => service.request('GET', '/health')
const isWell = ({ status }: Answer) => status === 200
/** The failed checks, by their names without the reasons. */
const names = (failed: string) => (answer: Answer) =>
  answer.body.error?.replaceAll(/ \([^)]*\)/g, '') === `Failed checks: ${failed}`

t.test(
  'without Redis reads and quotas work, requests that need it fail with 503, and all recovers',
  { skip: noOwnServers },
  async (t) => {
    const { service, redis, load, token, jwt, revoked, ask } = await startWatched(t)
    for (const round of [1, 2]) {
      await redis.stop()
      await until(() => health(service), names('cache'), 'health names the cache')
      t.equal((await ask('GET', '/ready')).status, 200)
      for (const path of ['/tokens', `/tokens/${token}`, '/search?q=cat', '/stats', '/leaderboard']) {
        const { status, headers } = await ask('GET', path)
        t.equal(status, 200, path)
        t.ok(headers.get('ratelimit'), 'quotas are counted by this replica')
      }
      const personal = await ask('GET', `/tokens/${token}`, { token: jwt })
      t.match(personal, { status: 200, body: { data: { likedByMe: null } } }, 'a token that cannot be checked is none')
      for (const [method, path, given] of [
        ['GET', '/auth/me', jwt],
        ['POST', `/tokens/${token}/like`, jwt],
      ] as const) {
        const { status, headers, body } = await ask(method, path, { token: given })
        t.match({ status, body }, { status: 503, body: { error: 'The cache is unavailable' } }, path)
        t.equal(headers.get('retry-after'), '1')
      }
      const refused = await ask('POST', `/tokens/${token}/like`, { token: revoked })
      t.equal(refused.status, 401, 'a process that knows of a revocation needs no cache to refuse the token')
      t.equal((await ask('POST', '/auth/nonce', { body: { wallet: people[0].address } })).status, 503)

      await redis.start()
      await until(() => health(service), isWell, `all is well again after outage ${round}`)
      const signedIn = await login(service, '', { wallet: people[0].address, account: people[0] })
      t.equal(signedIn.status, 200)
      t.equal((await ask('POST', `/tokens/${token}/like`, { token: jwt })).status, 200)
      t.equal((await ask('GET', '/auth/me', { token: revoked })).status, 401, 'what was revoked stays so')
    }
    await load.stop()
    t.same([...load.problems], [])
    t.ok(load.seen.get(200) && load.seen.get(503), 'there was load, and it met the outage')
  },
)

t.test('without PostgreSQL requests for data fail with 503, and all recovers', { skip: noOwnServers }, async (t) => {
  const { chain, service, postgres, load, token, jwt, ask } = await startWatched(t)
  for (const round of [1, 2]) {
    await postgres.stop()
    await until(() => health(service), names('database, indexer'), 'health names the database')
    const { status, headers, body } = await ask('GET', '/ready')
    t.match({ status, body }, { status: 503, body: { error: 'Failed checks: database' } })
    t.ok(headers.get('retry-after'))
    t.equal((await ask('GET', '/live')).status, 200)
    t.equal((await ask('GET', '/config')).status, 200)
    const list = () => ask('GET', '/tokens')
    const refused = await until(list, ({ status }) => status === 503, 'cached answers have expired')
    t.equal(refused.body.error, 'The database is unavailable')

    await postgres.start()
    await until(() => health(service), isWell, `all is well again after outage ${round}`)
    t.equal((await ask('POST', `/tokens/${token}/like`, { token: jwt })).status, 200)
    const bought = await chain.send(people[1], calls.buy(chain.contracts, token, people[1].address, parseEther('0.01')))
    const listBought = () => ask('GET', `/transactions?txHash=${bought.transactionHash}`)
    await until(listBought, ({ body }) => body.data.items.length === 1, 'the indexer goes on')
  }
  await load.stop()
  t.same([...load.problems], [])
  t.ok(load.seen.get(200) && load.seen.get(503), 'there was load, and it met the outage')
})
