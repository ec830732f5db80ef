import t from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { noOwnServers } from '../acceptance/support/servers.ts'
import { type Answer, type RequestOptions, startService, until } from '../acceptance/support/service.ts'
import { signIn } from '../acceptance/support/sign-in.ts'
import { findPostgres, startReplicatedPostgres } from '../support/servers/replicated-postgres.ts'

const bin = noOwnServers ? undefined : await findPostgres()
const skip = noOwnServers || (bin === undefined && 'there is no PostgreSQL server on this machine')

t.test(
  'without the primary, a service with a read replica stays ready and serves anonymous reads',
  { skip },
  async (t) => {
    const [chain, { primary, replica }] = await Promise.all([startChain(t), startReplicatedPostgres(t, bin!)])
    const env = { ...chain.env, DATABASE_READ_URL: replica.url, LOG_LEVEL: 'silent' }
    const service = await startService(t, { env, databaseUrl: primary.url })
    const ask = (method: string, path: string, options?: RequestOptions) => service.request(method, path, options)
    const becomes = (path: string, wanted: (answer: Answer) => boolean, what: string) =>
      until(() => ask('GET', path), wanted, what)
    const receipt = await chain.send(account(0), calls.create(chain.contracts, 'Cat', 'CAT', parseEther('0.1')))
    const token = createdToken(receipt)
    const jwt = await signIn(service, '', { wallet: account(1).address, account: account(1) })
    const isWell = ({ status, body }: Answer) => status === 200 && body.data.readReplica.state === 'ok'
    await becomes('/health', isWell, 'the replica is in use')
    await becomes(`/tokens/${token}`, ({ status }) => status === 200, 'the token is indexed')
    const paths = ['/tokens', `/tokens/${token}`, `/tokens/${token}/trades`, '/search?q=cat', '/stats', '/leaderboard']

    await primary.kill()
    const failed = await becomes('/health', ({ status }) => status === 503, 'health reports the outage')
    t.match(failed.body.error, /^Failed checks: database( \([^)]+\))?, indexer \(unknown without the database\)$/)
    for (let round = 0; round < 3; round++) {
      for (const path of ['/ready', '/api/ready', '/live', ...paths])
        t.equal((await ask('GET', path)).status, 200, path)
    }
    for (const [method, path] of [
      ['POST', `/tokens/${token}/like`],
      ['GET', '/notifications'],
      ['POST', '/auth/logout'],
    ] as const) {
      const { status, headers, body } = await ask(method, path, { token: jwt })
      t.match({ status, body }, { status: 503, body: { error: 'The database is unavailable' } }, `${method} ${path}`)
      t.equal(headers.get('x-error-reason'), 'DATABASE_UNAVAILABLE')
      t.ok(headers.get('retry-after'))
    }

    await replica.kill()
    const unready = await becomes('/ready', ({ status }) => status === 503, 'nothing can be read')
    t.equal(unready.body.error, 'Failed checks: database')
    t.equal((await ask('GET', '/live')).status, 200)
    await replica.start()
    await becomes('/ready', ({ status }) => status === 200, 'the replica is enough')
    t.equal((await ask('GET', '/tokens?limit=3')).status, 200)

    await primary.start()
    await becomes('/health', isWell, 'all is well again')
    t.equal((await ask('POST', `/tokens/${token}/like`, { token: jwt })).status, 200)
    await replica.kill()
    await becomes('/health', ({ body }) => body.data?.readReplica.state === 'down', 'the replica is down')
    t.equal((await ask('GET', '/ready')).status, 200, 'the primary serves everything')
  },
)
