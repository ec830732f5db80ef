import t from 'tap'
import { privateKeyToAccount } from 'viem/accounts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createTestDatabase } from '../../support/database.ts'

/*
 * Sessions of browsers: the cookie of a login with `remember`, the tokens that it yields at /auth/refresh, and who cannot get
 * them.
 */
const alice = privateKeyToAccount(`0x${'1'.repeat(64)}`)
const bob = privateKeyToAccount(`0x${'2'.repeat(64)}`)
const ORIGIN = 'https://launch.example'
const { db } = await createTestDatabase(t)
const { app } = await createTestApp({ config: testConfig({ PUBLIC_URL: ORIGIN }), services: { db } })
t.teardown(() => app.close())

const post = (url: string, headers: Record<string, string> = {}, payload?: object) =>
  app.inject({ method: 'POST', url, headers, ...(payload && { payload }) })
const me = async (token: string) =>
  (await app.inject({ url: '/auth/me', headers: { authorization: `Bearer ${token}` } })).statusCode

async function logIn(mount: string, fields: object = {}, account = alice) {
  const { message } = (await post(`${mount}/auth/nonce`, {}, { wallet: account.address })).json().data
  const signature = await account.signMessage({ message })
  const response = await post(`${mount}/auth/login`, {}, { wallet: account.address, message, signature, ...fields })
  return { token: response.json().data.token as string, header: String(response.headers['set-cookie'] ?? '') }
}

/** A browser's Cookie header for what a login set. */
const cookieOf = (header: string) => header.slice(0, header.indexOf(';'))

async function refresh(cookie: string, headers: Record<string, string> = {}) {
  const response = await post('/auth/refresh', { cookie, ...headers })
  const reason = response.headers['x-error-reason']
  return { status: response.statusCode, reason, token: response.json().data?.token as string }
}

t.test('only a login with `remember` sets a cookie, which scripts and other sites cannot use', async (t) => {
  t.equal((await logIn('')).header, '')
  t.equal((await logIn('', { remember: false })).header, '')
  for (const mount of ['', '/api']) {
    const { header } = await logIn(mount, { remember: true })
    const [value, ...attributes] = header.split('; ')
    t.match(value, /^slipway_session=[\w-]+\.[\w-]+\.[\w-]+$/)
    t.same(attributes.sort(), ['HttpOnly', 'Max-Age=604800', `Path=${mount}/auth`, 'SameSite=Strict', 'Secure'])
  }
})

t.test('the session yields tokens of its wallet, and neither is accepted as the other', async (t) => {
  const { token, header } = await logIn('', { remember: true })
  const cookie = cookieOf(header)
  const session = cookie.slice('slipway_session='.length)
  const again = await refresh(cookie)
  t.equal(again.status, 200)
  t.equal(await me(again.token), 200)
  t.equal(await me(session), 401, 'the session is no token of the API')
  t.match(await refresh(`slipway_session=${token}`), { status: 401, reason: 'JWT_INVALID' }, 'nor a token a session')
  t.match(await refresh('slipway_session=a.b.c'), { status: 401, reason: 'JWT_INVALID' })
  t.match(await refresh('other=1'), { status: 401, reason: 'SESSION_MISSING' })
})

t.test('a request of another origin gets no token', async (t) => {
  const cookie = cookieOf((await logIn('', { remember: true })).header)
  for (const headers of [
    { 'sec-fetch-site': 'same-site', origin: ORIGIN },
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'https://evil.launch.example' },
    { origin: 'null' },
  ])
    t.match(await refresh(cookie, headers), { status: 401, reason: 'SESSION_MISSING' }, JSON.stringify(headers))
  t.equal((await refresh(cookie, { 'sec-fetch-site': 'same-origin', origin: ORIGIN })).status, 200)
  t.equal((await refresh(cookie, { origin: ORIGIN })).status, 200, 'of a browser on plain HTTP')
})

t.test('a logout ends the session with every token that it issued, and no other session', async (t) => {
  const one = await logIn('', { remember: true })
  const other = await logIn('', { remember: true })
  const second = await refresh(cookieOf(one.header))
  const response = await post('/auth/logout', {
    authorization: `Bearer ${second.token}`,
    cookie: cookieOf(one.header),
  })
  t.match(response.headers['set-cookie'], /^slipway_session=; .*Expires=Thu, 01 Jan 1970/)
  t.equal(await me(one.token), 401, 'the token of another tab')
  t.match(await refresh(cookieOf(one.header)), { status: 401, reason: 'JWT_INVALID' }, 'a kept copy of the cookie')
  t.equal(await me(other.token), 200)
  t.equal((await refresh(cookieOf(other.header))).status, 200)
})

t.test('a logout clears no cookie of another wallet', async (t) => {
  const mine = await logIn('', { remember: true })
  const theirs = await logIn('', { remember: true }, bob)
  const logOut = async (cookie: string) => {
    const { token } = await logIn('')
    const response = await post('/auth/logout', { authorization: `Bearer ${token}`, cookie })
    t.equal(response.statusCode, 200)
    t.equal(await me(token), 401)
    return response.headers['set-cookie']
  }
  t.equal(await logOut(cookieOf(theirs.header)), undefined)
  t.equal((await refresh(cookieOf(theirs.header))).status, 200)
  t.match(await logOut(cookieOf(mine.header)), /^slipway_session=; /, 'of the same wallet')
  t.match(await logOut('slipway_session=a.b.c'), /^slipway_session=; /, 'of no wallet')
})

t.test('a session stays revoked until it can issue no token any more', async (t) => {
  const { token } = await logIn('', { remember: true })
  await post('/auth/logout', { authorization: `Bearer ${token}` })
  const { jti, iat } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString())
  const row = await db
    .selectFrom('revoked_tokens')
    .select('expires_at')
    .where('jti', '=', jti)
    .executeTakeFirstOrThrow()
  t.ok(row.expires_at.getTime() / 1000 >= iat + 7 * 86_400)
})
