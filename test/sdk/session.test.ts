import { mock } from 'node:test'
import t from 'tap'
import {
  continueSession,
  createClient,
  ensureSignedIn,
  getIdentity,
  readTime,
  readToken,
  signOut,
} from '../../sdk/src/index.ts'

const WALLET = `0x${'1'.repeat(40)}`
const OTHER = `0x${'2'.repeat(40)}`
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
/** A token of this wallet, as the service issues it. */
const tokenOf = (wallet: string, iat = 1) =>
  `${encode({ alg: 'HS256' })}.${encode({ sub: wallet, wallet, iat, exp: 4_000_000_000 })}.x`
const TOKEN = tokenOf(WALLET)

/** A client whose service responds with this status. */
const serve = (status: number) =>
  createClient({
    baseUrl: 'http://service.example',
    fetch: async () => {
      const body =
        status === 200
          ? { success: true, data: { token: TOKEN, wallet: WALLET, expiresAt: '2096-10-02T07:06:40.000Z' } }
          : { success: false, data: null, error: 'No' }
      return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } })
    },
  })

t.test('a session is continued, has ended, or cannot be asked for', async (t) => {
  const client = serve(200)
  t.equal(await continueSession(client), WALLET)
  t.equal(client.token, TOKEN)
  const ended = serve(401)
  t.equal(await continueSession(ended), undefined)
  t.equal(ended.token, undefined)
  for (const status of [400, 429, 503])
    await t.rejects(
      continueSession(serve(status)),
      { name: 'SlipwayError', status },
      'nobody is signed out by a failure',
    )
})

for (const [clock, days] of [
  ['ahead', 3],
  ['behind', -3],
] as const)
  t.test(`a token is valid by the time of the service, with a clock ${days} days ${clock}`, async (t) => {
    const now = Date.now()
    mock.timers.enable({ apis: ['Date'], now: now + days * 86_400_000 })
    t.teardown(() => mock.timers.reset())
    const tokenUntil = (time: number) =>
      `${encode({ alg: 'HS256' })}.${encode({ sub: WALLET, exp: Math.floor(time / 1_000) })}.x`
    const serveUntil = (time: number) =>
      createClient({
        baseUrl: 'http://service.example',
        fetch: async () => {
          const headers = { date: new Date(now).toUTCString() }
          return new Response(JSON.stringify({ success: true, data: { token: tokenUntil(time) } }), { headers })
        },
      })
    const client = serveUntil(now + 3_600_000)
    t.equal(await continueSession(client, { wallet: WALLET }), WALLET)
    t.equal(readToken(client.token, readTime(client)), WALLET)
    const request = async ({ method }: { method: string }) => (/accounts/i.test(method) ? [WALLET] : t.fail(method))
    await ensureSignedIn(client, { request })
    t.equal(await continueSession(serveUntil(now - 60_000), { wallet: WALLET }), undefined, 'an expired one is not')
  })

t.test('a session of another wallet is not continued', async (t) => {
  const client = serve(200)
  t.equal(await continueSession(client, { wallet: OTHER }), undefined)
  t.equal(client.token, undefined)
  t.equal(await continueSession(client, { wallet: WALLET.toUpperCase().replace('X', 'x') }), WALLET)
})

/** A client whose service responds when the test says so, with what `respond` returns for the token of the request. */
function hold(respond: (path: string, token: string) => [status: number, data: unknown], options = {}) {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
  const requests: string[] = []
  const client = createClient({
    baseUrl: 'http://service.example',
    token: TOKEN,
    fetch: async (url, init) => {
      const path = new URL(String(url)).pathname
      const token = new Headers(init?.headers).get('authorization')?.replace('Bearer ', '') ?? ''
      requests.push(`${path} ${token}`)
      await isReleased
      const [status, data] = respond(path, token)
      return new Response(JSON.stringify({ success: status === 200, data, error: 'No' }), { status })
    },
    ...options,
  })
  return { client, release, requests }
}

t.test('a late response leaves the token of a newer sign-in alone', async (t) => {
  for (const act of [signOut, continueSession] as const) {
    const { client, release } = hold(() => [200, { token: TOKEN, revoked: true }])
    const done = act(client)
    client.token = tokenOf(OTHER)
    release()
    await done
    t.equal(client.token, tokenOf(OTHER), act.name)
  }
})

t.test('a rejected request is repeated as its own wallet only', async (t) => {
  for (const [renewed, isRepeated] of [
    [tokenOf(WALLET, 2), true],
    [tokenOf(OTHER), false],
  ] as const) {
    const asked: (string | undefined)[] = []
    const { client, release, requests } = hold((_, token) => (token === TOKEN ? [401, null] : [200, {}]), {
      onUnauthorized: (_: unknown, wallet: string) => {
        asked.push(wallet)
        client.token = renewed
        return true
      },
    })
    release()
    const outcome = await getIdentity(client).then(
      () => 'answered',
      ({ status }) => status,
    )
    t.equal(outcome, isRepeated ? 'answered' : 401)
    t.equal(requests.length, isRepeated ? 2 : 1)
    t.same(asked, [WALLET])
  }
  const { client, release, requests } = hold(() => [401, null], { onUnauthorized: () => t.fail('of another wallet') })
  const request = getIdentity(client)
  client.token = tokenOf(OTHER)
  release()
  await t.rejects(request, { name: 'SlipwayError', status: 401 })
  t.equal(requests.length, 1)
})
