import t from 'tap'
import { CLOCK_TOLERANCE_SECONDS, createClaimsValidator, isCanonicalToken } from '../../lib/auth/token-claims.ts'

const NOW = 1_790_000_000
const isValid = createClaimsValidator({ issuer: 'slipway', audience: 'api', lifetimeSeconds: 3_600 })
const claims = {
  ...{ iss: 'slipway', aud: 'api', sub: `0x${'a'.repeat(40)}`, jti: 'session-1_A' },
  ...{ iat: NOW - 60, exp: NOW + 60 },
}
t.beforeEach((t) => void t.intercept(Date, 'now', { value: () => NOW * 1_000 }))

t.test('claims are those of this service', async (t) => {
  t.ok(isValid(claims))
  for (const change of [
    { iss: 'other' },
    { aud: 'other' },
    { aud: undefined },
    { sub: `0x${'A'.repeat(40)}` },
    { sub: `0x${'a'.repeat(39)}` },
    { sub: 5 },
    { jti: '' },
    { jti: 'j'.repeat(65) },
    { jti: 'a b' },
    { jti: 5 },
    { iat: 'now' },
    { iat: NOW - 0.5 },
    { exp: NOW + 0.5 },
    { exp: undefined },
  ])
    t.notOk(isValid({ ...claims, ...change }), JSON.stringify(change))
  t.ok(isValid({ ...claims, jti: 'j'.repeat(64) }))
  for (const given of [null, undefined, 'text', 5]) t.notOk(isValid(given))
})

t.test('a token is valid from its issue to its expiry, for no longer than its lifetime', async (t) => {
  const at = (iat: number, exp: number) => isValid({ ...claims, iat, exp })
  t.ok(at(NOW, NOW + 1))
  t.notOk(at(NOW - 60, NOW), 'expired')
  t.ok(at(NOW - 60, NOW - 60 + 3_600))
  t.notOk(at(NOW - 60, NOW - 60 + 3_601))
  t.ok(at(NOW + CLOCK_TOLERANCE_SECONDS, NOW + CLOCK_TOLERANCE_SECONDS + 1), 'the clock of its issuer is ahead')
  t.notOk(at(NOW + CLOCK_TOLERANCE_SECONDS + 1, NOW + CLOCK_TOLERANCE_SECONDS + 2))
  t.notOk(at(NOW + 2, NOW + 2), 'it ends when it begins')
  t.notOk(at(NOW + 3, NOW + 2))
  t.intercept(Date, 'now', { value: () => 1_000 })
  t.ok(at(0, 60))
  t.notOk(at(-1, 60))
})

t.test('a token has one spelling', async (t) => {
  for (const token of ['aaaa.bbbb.cccc', 'aaA.aA.', '..', 'aa-_.aaa0.aag']) t.ok(isCanonicalToken(token), token)
  for (const token of [
    'aaaa.bbbb',
    'aaaa.bbbb.cccc.dddd',
    'aaB.aaaa.aaaa',
    'aB.aaaa.aaaa',
    'a.aaaa.aaaa',
    'aaaa.aaaa.aa==',
  ])
    t.notOk(isCanonicalToken(token), token)
})
