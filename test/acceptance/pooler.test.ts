import { randomBytes } from 'node:crypto'
import t from 'tap'
import { parseEther } from 'viem'
import { runOn } from '../support/prepared-database.ts'
import { startPooler } from '../support/servers/pgbouncer.ts'
import { account, calls, createdToken, startChain } from './support/chain.ts'
import { noOwnServers, startRedis } from './support/servers.ts'
import { type Answer, type Service, startService, until } from './support/service.ts'
import { signIn } from './support/sign-in.ts'

const REQUESTS = 1_000
const CLIENTS = 10
const ROUNDS = 3
const person = account(1)

t.test('two processes start and serve behind PgBouncer in transaction mode', { skip: noOwnServers }, async (t) => {
  // Empty: the processes of the first round migrate it at the same time.
  const server = process.env.TEST_DATABASE_URL as string
  const direct = new URL(server)
  direct.pathname = `/slipway_pooler_${process.pid}_${randomBytes(4).toString('hex')}`
  await runOn(server, `create database ${direct.pathname.slice(1)}`)
  t.teardown(() => runOn(server, `drop database if exists ${direct.pathname.slice(1)} with (force)`))
  const pooler = await startPooler(t, direct.href, { mode: 'transaction' })
  if (!pooler) return void t.pass('a pooler', { skip: 'PgBouncer is not installed' })
  const [chain, redis] = await Promise.all([startChain(t), startRedis(t)])
  const start = (ROLE: string) =>
    startService(t, {
      env: {
        ...chain.env,
        ROLE,
        REDIS_URL: redis.url,
        DATABASE_DIRECT_URL: direct.href,
        DATABASE_STATEMENT_TIMEOUT_MS: '5000',
      },
      databaseUrl: pooler.url,
    })
  const startBoth = () => Promise.all([start('all'), start('api')])
  let services = await startBoth()
  for (let round = 1; round < ROUNDS; round++) {
    t.same(await Promise.all(services.map((service) => service.stop())), [0, 0])
    services = await startBoth()
  }

  const { transactionHash: txHash, ...receipt } = await chain.send(
    person,
    calls.create(chain.contracts, 'Cat', 'CAT', parseEther('0.1')),
  )
  const id = createdToken({ transactionHash: txHash, ...receipt })
  const [one, other] = services
  for (const service of services)
    await until(
      () => service.request('GET', `/tokens/${id}`),
      ({ status }) => status === 200,
      'the token is indexed',
    )
  const token = await signIn(one, '', { wallet: person.address, account: person })
  const asks: ((service: Service, at: number) => Promise<Answer>)[] = [
    (service) => service.request('GET', '/tokens'),
    (service) => service.request('GET', `/tokens/${id}`, { token }),
    (service) => service.request('GET', '/search?q=cat'),
    (service) => service.request('GET', '/stats'),
    (service) => service.request('GET', '/notifications', { token }),
    (service) => service.request('GET', `/tokens/${id}/comments`),
    (service) => service.request('POST', `/tokens/${id}/like`, { token }),
    (service) => service.request('DELETE', `/tokens/${id}/like`, { token }),
    (service, at) => service.request('POST', `/tokens/${id}/comments`, { token, body: { text: `meow ${at}` } }),
    (service) => service.request('POST', '/buy', { token, body: { txHash } }),
  ]
  const statuses: number[] = []
  let next = 0
  const ask = async () => {
    while (next < REQUESTS) {
      const at = next++
      const send = asks[at % asks.length] as (typeof asks)[number]
      statuses.push((await send([one, other][Math.trunc(at / asks.length) % 2] as Service, at)).status)
    }
  }
  await Promise.all(Array.from({ length: CLIENTS }, ask))
  t.equal(statuses.length, REQUESTS)
  t.same(
    statuses.filter((status) => status >= 500),
    [],
  )
  t.ok(statuses.filter((status) => status < 300).length > REQUESTS / 2)

  const isWell = ({ status }: Answer) => status === 200
  const isDown = ({ status, body }: Answer) => status === 503 && /database/.test(body.error ?? '')
  const outages: [string, () => unknown, () => unknown][] = [
    ['is killed', () => pooler.kill(), () => pooler.start()],
    ['hangs', () => pooler.signal('SIGSTOP'), () => pooler.signal('SIGCONT')],
  ]
  for (const [what, begin, end] of outages) {
    await begin()
    await until(() => one.request('GET', '/health'), isDown, `/health names the database when PgBouncer ${what}`)
    for (const [method, path] of [
      ['GET', '/search?q=dog'],
      ['POST', `/tokens/${id}/like`],
    ] as const) {
      const { status, headers, body } = await one.request(method, path, { token })
      t.match({ status, body }, { status: 503, body: { success: false, data: null } }, `${path} when it ${what}`)
      t.ok(headers.get('retry-after'))
    }
    await end()
    await until(() => one.request('GET', '/health'), isWell, `all is well after PgBouncer ${what}`)
    t.equal((await one.request('POST', `/tokens/${id}/like`, { token })).status, 200)
  }
})
