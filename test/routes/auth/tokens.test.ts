import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import type { FastifyRequest } from 'fastify'
import t from 'tap'
import { AppError } from '../../../errors.ts'
import { optionalWallet, requireAdmin, requireLabs } from '../../../plugins/auth.ts'
import { createTestApp, testConfig } from '../../support/app.ts'

const [alice, bob] = [`0x${'a1'.repeat(20)}`, `0x${'b0'.repeat(20)}`] as const
const OLD = 'the-old-secret-that-still-verifies-tokens'
const NEW = 'the-new-secret-that-signs-tokens-from-now'

const config = testConfig({
  PUBLIC_URL: 'https://launch.example',
  JWT_KEYS: `new:${NEW},old:${OLD}`,
  ADMIN_WALLETS: alice,
  LABS_WALLETS: bob,
})
const { app, services } = await createTestApp({
  config,
  extend: (app) => {
    app.register(async (scope) => {
      scope.addHook('onRequest', requireAdmin)
      scope.get('/only-operators', async () => ({ ok: true }))
    })
    app.register(async (scope) => {
      scope.addHook('onRequest', requireLabs)
      scope.get('/only-labs', async () => ({ ok: true }))
    })
    app.register(async (scope) => {
      scope.addHook('onRequest', optionalWallet)
      scope.get('/anyone', async ({ wallet }) => ({ wallet }))
    })
  },
})
t.teardown(() => app.close())

const me = (token: string) => app.inject({ url: '/auth/me', headers: { authorization: `Bearer ${token}` } })
const refused = (error: string) => ({ success: false, data: null, error })
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')

/** A token as an attacker would make it: any header, any claims, any secret. */
function forge(header: object, claims: object, secret: string): string {
  const now = Math.floor(Date.now() / 1000)
  const good = {
    sub: alice,
    jti: 'a',
    iat: now,
    exp: now + 60,
    iss: 'https://launch.example',
    aud: 'https://launch.example',
  }
  const head = `${encode({ alg: 'HS256', typ: 'JWT', kid: 'new', ...header })}.${encode({ ...good, ...claims })}`
  return `${head}.${createHmac('sha256', secret).update(head).digest('base64url')}`
}

t.test('a token with any changed part is rejected', async (t) => {
  const token = app.issueToken(alice)
  const now = Math.floor(Date.now() / 1000)
  const [header, claims] = token.split('.')
  const forgeries: Record<string, string> = {
    'another secret': forge({}, {}, 'a-secret-of-the-attacker-of-32-bytes!'),
    'no algorithm': `${encode({ alg: 'none', typ: 'JWT', kid: 'new' })}.${claims}.`,
    'none with the signature kept': token.replace(header as string, encode({ alg: 'none', typ: 'JWT', kid: 'new' })),
    'another algorithm': forge({ alg: 'HS512' }, {}, NEW),
    'the prototype as key': forge({ kid: '__proto__' }, {}, NEW),
    'the constructor as key': forge({ kid: 'constructor' }, {}, NEW),
    'an unknown key': forge({ kid: 'other' }, {}, NEW),
    'a key that is no name': forge({ kid: { a: 1 } }, {}, NEW),
    'no key': forge({ kid: undefined }, {}, NEW),
    'the secret of another key': forge({ kid: 'old' }, {}, NEW),
    expired: forge({}, { iat: now - 100, exp: now - 1 }, NEW),
    'another issuer': forge({}, { iss: 'https://evil.example' }, NEW),
    'another audience': forge({}, { aud: 'https://evil.example' }, NEW),
    'no expiry': forge({}, { exp: undefined }, NEW),
    'no id': forge({}, { jti: undefined }, NEW),
    'an id that is no text': forge({}, { jti: 7 }, NEW),
    'no wallet': forge({}, { sub: 'admin' }, NEW),
    'a changed signature': `${token.slice(0, -2)}AA`,
    'not a token': 'a.b.c',
    'one part': 'abc',
  }
  for (const [name, forged] of Object.entries(forgeries)) {
    const answer = await me(forged)
    t.equal(answer.statusCode, 401, name)
    t.same(answer.json(), refused('Invalid or expired token'), name)
    t.equal(answer.headers['www-authenticate'], 'Bearer')
  }
  t.equal((await me(forge({}, {}, NEW))).statusCode, 200, 'the forger can make a good one')
  t.equal((await me(forge({ kid: 'old' }, {}, OLD))).statusCode, 200, 'a key being rotated out still verifies')
})

t.test('a token in another spelling is rejected wherever tokens are accepted', async (t) => {
  const [header = '', claims = '', signature = ''] = app.issueToken(alice).split('.')
  const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
  /** The last digit with an unused bit set: it decodes to the same bytes. */
  const respell = (part: string) => `${part.slice(0, -1)}${DIGITS[DIGITS.indexOf(part.at(-1) ?? '') + 1]}`
  t.same(Buffer.from(respell(signature), 'base64url'), Buffer.from(signature, 'base64url'))
  /** Signed as written, so that only the spelling is wrong. */
  const sign = (head: string) => `${head}.${createHmac('sha256', NEW).update(head).digest('base64url')}`
  const pad = (part: object) => {
    const text = JSON.stringify(part)
    // Two unused bits in the last digit.
    return `${' '.repeat((2 - (text.length % 3) + 3) % 3)}${text}`
  }
  const spaced = (part: string) =>
    Buffer.from(pad(JSON.parse(Buffer.from(part, 'base64url').toString()))).toString('base64url')
  t.equal((await me(sign(`${spaced(header)}.${spaced(claims)}`))).statusCode, 200)
  const spellings: Record<string, string> = {
    'bits of the signature': `${header}.${claims}.${respell(signature)}`,
    'bits of the claims': sign(`${header}.${respell(spaced(claims))}`),
    'bits of the header': sign(`${respell(spaced(header))}.${claims}`),
    'a padded signature': `${header}.${claims}.${signature}=`,
    'a signature in base64': `${header}.${claims}.${signature.replaceAll('-', '+').replaceAll('_', '/')}+`,
    'a line feed': `${header}.${claims}.${signature}\n`,
    'a space': `${header}.${claims}.${signature.slice(0, 9)} ${signature.slice(9)}`,
    'a fourth part': `${header}.${claims}.${signature}.`,
  }
  for (const [name, token] of Object.entries(spellings)) {
    if (!token.endsWith('\n')) t.equal((await me(token)).statusCode, 401, name)
    t.throws(() => app.verifyToken(token), { message: 'Invalid or expired token' }, name)
    await t.rejects(app.readToken(token), { message: 'Invalid or expired token' }, `${name}, as a socket sends it`)
    const headers = { authorization: `Bearer ${token}` }
    t.equal(await app.findRateLimitWallet({ headers } as FastifyRequest), null, `${name} consumes no wallet's quota`)
  }
})

t.test('replicas whose clocks differ by up to five minutes accept the tokens of each other', async (t) => {
  const issued = (secondsAhead: number) => {
    const iat = Math.floor(Date.now() / 1000) + secondsAhead
    return forge({}, { iat, exp: iat + 86_400 }, NEW)
  }
  for (const seconds of [-299, -90, 90, 295]) t.equal((await me(issued(seconds))).statusCode, 200, `${seconds} s ahead`)
  t.equal((await me(issued(310))).statusCode, 401)
})

/** JSON values of every type, with numbers that are no dates and texts that are no names. */
const anything = fc.oneof(
  ...[fc.constant(undefined), fc.constant(null), fc.boolean(), fc.integer(), fc.double(), fc.maxSafeInteger()],
  ...[fc.string({ maxLength: 300 }), fc.constantFrom(1e300, -1, 0, 2 ** 53, 1e18, 8.64e12 + 1, '', '\u0000', '0x')],
  ...[fc.array(fc.jsonValue(), { maxLength: 3 }), fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 })],
)
const now = () => Math.floor(Date.now() / 1000)
const ORIGIN = 'https://launch.example'

/** Whether a claim with this value makes a token that we would have issued. */
const isOurs: Record<string, (value: unknown) => boolean> = {
  sub: (value) => typeof value === 'string' && /^0x[0-9a-f]{40}$/.test(value),
  jti: (value) => typeof value === 'string' && /^[\w-]{1,64}$/.test(value),
  iss: (value) => value === ORIGIN,
  aud: (value) => value === ORIGIN,
  iat: (value) => Number.isInteger(value) && Math.abs(now() - (value as number)) < 86_000,
  exp: (value) => Number.isInteger(value) && (value as number) > now() && (value as number) < now() + 86_000,
}
const wrongClaim = fc
  .constantFrom(...Object.keys(isOurs))
  .chain((name) => anything.filter((value) => !isOurs[name]?.(value)).map((value) => ({ [name]: value })))

t.test('a correctly signed token with a missing or invalid claim is the same 401', async (t) => {
  const odd = [
    ...['iss', 'aud', 'sub', 'jti', 'iat', 'exp'].map((name) => ({ [name]: undefined })),
    ...[[ORIGIN], [ORIGIN, ORIGIN], { 0: ORIGIN }, `${ORIGIN}/`, `${ORIGIN} `].flatMap((one) => [
      { iss: one },
      { aud: one },
    ]),
    ...[alice.toUpperCase(), `0xA1${alice.slice(4)}`, [alice], { toString: alice }, `${alice}\n`].map((sub) => ({
      sub,
    })),
    ...[1e300, 8.64e12 + 1, 2 ** 53, now() + 0.5, now() + 90_000, -1, `${now() + 60}`, [now() + 60]].map((exp) => ({
      exp,
    })),
    ...[now() + 600, -1, 1e300, now() - 86_400, `${now()}`, null, now() - 0.5].map((iat) => ({ iat })),
    ...[{ jti: '' }, { jti: 'a'.repeat(65) }, { jti: 'a\u0000' }, { nbf: 'x' }, { nbf: now() + 600 }],
  ]
  const check = async (claims: object) => {
    const token = forge({}, claims, NEW)
    for (const url of ['/auth/me', '/api/portfolio']) {
      const answer = await app.inject({ url, headers: { authorization: `Bearer ${token}` } })
      t.same([answer.statusCode, answer.json()], [401, refused('Invalid or expired token')], JSON.stringify(claims))
    }
    const anyone = await app.inject({ url: '/anyone', headers: { authorization: `Bearer ${token}` } })
    t.same([anyone.statusCode, anyone.json()], [200, { wallet: null }], 'where none is required it counts as none')
  }
  for (const claims of odd) await check(claims)
  await fc.assert(fc.asyncProperty(wrongClaim, check), { numRuns: 200 })
})

t.test('a malformed Authorization header is 401, distinct from a missing one', async (t) => {
  for (const authorization of ['Bearer', 'Bearer ', 'Basic YTpi', 'Bearer a b', 'bearer,x', '']) {
    const answer = await app.inject({ url: '/auth/me', headers: { authorization } })
    t.equal(answer.statusCode, 401, authorization)
    t.match(answer.json(), { success: false, data: null })
  }
  t.same((await app.inject('/auth/me')).json(), refused('Missing bearer token'))
})

t.test('logging out revokes only the token of the request', async (t) => {
  const [first, second] = [app.issueToken(alice), app.issueToken(alice)]
  const headers = { authorization: `Bearer ${first}`, 'content-type': 'application/json' }
  const answer = await app.inject({ method: 'POST', url: '/api/auth/logout', headers, payload: '' })
  t.equal(answer.statusCode, 200)
  t.same((await me(first)).json(), refused('Invalid or expired token'))
  t.equal((await me(second)).statusCode, 200)
})

t.test('routes of operators and labs accept listed wallets and return 403 to others', async (t) => {
  const [ofAlice, ofBob] = [app.issueToken(alice), app.issueToken(bob)]
  const get = (url: string, token: string) => app.inject({ url, headers: { authorization: `Bearer ${token}` } })
  t.equal((await get('/only-operators', ofAlice)).statusCode, 200)
  t.equal((await get('/only-labs', ofBob)).statusCode, 200)
  const [notAdmin, notLabs] = [await get('/only-operators', ofBob), await get('/only-labs', ofAlice)]
  t.equal(notAdmin.statusCode, 403)
  t.same(notAdmin.json(), refused('This wallet is not an operator'))
  t.equal(notLabs.statusCode, 403)
  t.equal((await app.inject('/only-operators')).statusCode, 401)
})

t.test('while the cache is down, protected routes are 503', async (t) => {
  const down = async () => {
    throw new AppError('CACHE_UNAVAILABLE')
  }
  const other = await createTestApp({
    config,
    services: { cache: { ...services.cache, get: down, getAndDelete: down, set: down, setKept: down } },
  })
  t.teardown(() => other.app.close())
  const token = app.issueToken(alice)
  const answer = await other.app.inject({ url: '/auth/me', headers: { authorization: `Bearer ${token}` } })
  t.equal(answer.statusCode, 503)
  t.same(answer.json(), refused('The cache is unavailable'))
  t.equal((await other.app.inject({ method: 'POST', url: '/auth/nonce', payload: { wallet: alice } })).statusCode, 503)
  for (const url of ['/portfolio', '/portfolio/holdings', '/staking/positions', '/feed?scope=following']) {
    const own = await other.app.inject({ url, headers: { authorization: `Bearer ${token}` } })
    t.same([own.statusCode, own.json()], [503, refused('The cache is unavailable')], url)
  }
})

t.test('where a wallet is optional, an invalid token counts as none', async (t) => {
  const ask = async (authorization?: string) =>
    app.inject({ url: '/anyone', headers: authorization ? { authorization } : {} })
  t.same((await ask()).json(), { wallet: null })
  t.same((await ask(`Bearer ${app.issueToken(alice)}`)).json(), { wallet: alice })
  t.same((await ask(`Bearer ${forge({ kid: 'old' }, {}, NEW)}`)).json(), { wallet: null })
  t.same((await ask('Basic YTpi')).json(), { wallet: null })
  t.match((await ask()).headers.vary, 'authorization', 'caches keep the two apart')
})
