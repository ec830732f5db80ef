import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain } from './support/chain.ts'
import { noOwnServers, startRedis } from './support/servers.ts'
import { createDatabase, type Service, startService, until } from './support/service.ts'
import { signIn } from './support/sign-in.ts'

const [operator, creator] = [account(0), account(1)]
const MOUNTS = ['', '/api']

/** Two replicas on one chain, database and Redis; the first is the indexer as well. */
async function startReplicas(t: Test, env: Record<string, string> = {}) {
  const [chain, redis, databaseUrl] = await Promise.all([startChain(t), startRedis(t), createDatabase(t)])
  const shared = {
    ...chain.env,
    ADMIN_WALLETS: operator.address,
    PUBLIC_URL: 'http://replicas.example',
    REDIS_URL: redis.url,
    ...env,
  }
  const start = (ROLE: string) => startService(t, { env: { ...shared, ROLE }, databaseUrl: databaseUrl as string })
  const first = await start('all')
  const second = await start('api')
  return { chain, first, second, replicas: [first, second] as const }
}

const signInAs = (service: Service, signer: typeof creator) =>
  signIn(service, '', { wallet: signer.address, account: signer })

t.test('two replicas and two mounts share one quota', { skip: noOwnServers }, async (t) => {
  const { first, replicas } = await startReplicas(t, {
    RATE_LIMITS: 'on',
    RATE_LIMIT_GLOBAL: '12/60',
    RATE_LIMIT_READ_HEAVY: '4/3600',
    TRUST_PROXY: '127.0.0.1',
  })
  const ask = (index: number, path: string, headers: Record<string, string>, token?: string) =>
    (replicas[index % 2] as Service).request('GET', `${MOUNTS[(index >> 1) % 2]}${path}`, {
      headers,
      ...(token && { token }),
    })
  const from = (address: string) => ({ 'x-forwarded-for': address })

  const heavy = []
  for (let index = 0; index < 8; index++) heavy.push(await ask(index, '/leaderboard', from('192.0.2.1')))
  t.same(
    heavy.map(({ status }) => status),
    [200, 200, 200, 200, 429, 429, 429, 429],
  )
  t.same(
    heavy.slice(0, 4).map(({ headers }) => headers.get('ratelimit')?.replace(/;t=\d+/g, '')),
    [3, 2, 1, 0].map((left) => `"global";r=${left + 8}, "read-heavy";r=${left}`),
  )

  const all = await Promise.all(Array.from({ length: 40 }, (_, index) => ask(index, '/config', from('192.0.2.2'))))
  t.equal(all.filter(({ status }) => status === 200).length, 12, 'and not one more if they come at once')
  t.equal(
    (await ask(0, '/config', from('203.0.113.1, 192.0.2.2'))).status,
    429,
    'what a client makes up changes nothing',
  )

  const token = await signInAs(first, creator)
  const own = await Promise.all(
    Array.from({ length: 20 }, (_, index) => ask(index, '/auth/me', from(`198.51.100.${index}`), token)),
  )
  t.equal(own.filter(({ status }) => status === 200).length, 12, 'a wallet has one quota from wherever it asks')
})

t.test(
  'a change at one replica is visible at the other after at most the delay of the event bus',
  { skip: noOwnServers },
  async (t) => {
    const { chain, first, second } = await startReplicas(t)
    const [own, admin] = [await signInAs(first, creator), await signInAs(second, operator)]
    const { transactionHash: txHash, ...receipt } = await chain.send(
      creator,
      calls.create(chain.contracts, 'Harbour Cat', 'HCAT', parseEther('0.1')),
    )
    const token = createdToken({ transactionHash: txHash, ...receipt })
    t.equal((await first.request('POST', '/tokens/create', { token: own, body: { txHash } })).status, 200)

    const path = `/tokens/${token}`
    const seen = async () => {
      const [detail, list, card] = await Promise.all([
        second.request('GET', path),
        second.request('GET', '/tokens'),
        fetch(`${second.url}/og/token/${token}`, { method: 'HEAD' }),
      ])
      return {
        detail: detail.body.data,
        etag: String(detail.headers.get('etag')),
        listed: list.body.data.items.length,
        card: card.headers.get('etag'),
        // A busy service answers with another card for a few seconds, until the right one is drawn.
        isDrawn: card.headers.get('cache-control') === 'public, max-age=60',
      }
    }
    const before = await until(seen, ({ listed }) => listed === 1, 'the token is listed')
    t.equal(before.detail.description, null)

    const text = 'The cat of the harbour.'
    await first.request('PATCH', path, { token: own, body: { description: text } })
    const described = await until(
      seen,
      ({ detail, isDrawn }) => detail.description === text && isDrawn,
      'the description is shown',
    )
    const again = await fetch(second.url + path, { headers: { 'if-none-match': before.etag } })
    t.equal(again.status, 200, 'a client that kept the former answer gets the new one')

    t.equal((await first.request('POST', `/admin${path}/hide`, { token: admin })).status, 200)
    const hidden = await until(
      seen,
      ({ detail, listed, isDrawn }) => detail.hidden && listed === 0 && isDrawn,
      'the token is hidden',
    )
    t.not(hidden.card, described.card, 'its link preview is the service’s own')

    const like = () => second.request('POST', `${path}/like`, { token: own })
    t.equal((await like()).status, 200)
    t.equal((await first.request('POST', `/admin/wallets/${creator.address}/ban`, { token: admin })).status, 200)
    t.equal((await like()).status, 403, 'a ban')
    t.equal((await second.request('POST', '/uploads/metadata', { token: own, body: { name: 'x' } })).status, 403)
    t.equal((await second.request('POST', `/admin/wallets/${creator.address}/unban`, { token: admin })).status, 200)
    t.equal((await first.request('POST', `${path}/like`, { token: own })).status, 200, 'and its end')

    t.equal((await first.request('POST', '/auth/logout', { token: own })).status, 200)
    t.equal((await second.request('GET', '/auth/me', { token: own })).status, 401, 'a logout')
  },
)
