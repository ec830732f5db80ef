import t from 'tap'
import { continueSession, createClient } from '../../sdk/src/index.ts'

/** A token of this wallet, as the service issues it. */
const WALLET = `0x${'1'.repeat(40)}`
const encode = (part: object) => Buffer.from(JSON.stringify(part)).toString('base64url')
const TOKEN = `${encode({ alg: 'HS256' })}.${encode({ sub: WALLET, wallet: WALLET, exp: 4_000_000_000 })}.x`

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
