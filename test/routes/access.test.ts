import t from 'tap'
import { tokenAddress } from '../support/market-simulation.ts'
import { ADMIN, ann, bob, createPeopleApp, expiredToken, failure, LABS, say } from '../support/people.ts'

/*
 * Who may not call what: every operation about people and of operators, at both mounts, without a token, with one that has
 * expired, by a banned wallet, and by one that is not on the list.
 */
const market = await createPeopleApp(t)
const { app, send } = market
const token = tokenAddress(1)
const { id } = await say(market, ann, token, 'a comment')
const application = '0c7f8a52-6a0e-4f5e-9b1c-7d0f3a5d2e11'

type Call = [method: 'GET' | 'POST' | 'PATCH' | 'DELETE', url: string, payload?: object]

const reads: Call[] = [['GET', '/notifications']]
const writes: Call[] = [
  ['POST', `/tokens/${token}/comments`, { text: 'x' }],
  ['POST', `/tokens/${token}/like`],
  ['DELETE', `/tokens/${token}/like`],
  ['DELETE', `/comments/${id}`],
  ['POST', `/comments/${id}/like`],
  ['DELETE', `/comments/${id}/like`],
  ['POST', `/comments/${id}/report`, { reason: 'spam' }],
  ['POST', `/follows/${ann}`],
  ['DELETE', `/follows/${ann}`],
  ['PATCH', '/profiles/me', { bio: 'x' }],
  ['POST', '/notifications/read', { all: true }],
  ['POST', '/uploads/image', {}],
  ['POST', '/uploads/metadata', { name: 'x' }],
  ['PATCH', `/tokens/${token}`, { description: 'x' }],
  ...['/tokens/create', '/buy', '/sell'].map((url): Call => ['POST', url, { txHash: `0x${'1'.repeat(64)}` }]),
]
const ofOperators: Call[] = [
  ['GET', '/admin/reports'],
  ['GET', '/admin/audit-log'],
  ['GET', '/admin/ambassador-applications'],
  ['PATCH', `/admin/ambassador-applications/${application}`, { status: 'approved' }],
  ['DELETE', `/admin/ambassador-applications/${application}`],
  ['POST', '/admin/reports/1/dismiss'],
  ...['hide', 'unhide'].flatMap((verb): Call[] => [
    ['POST', `/admin/tokens/${token}/${verb}`],
    ['POST', `/admin/comments/${id}/${verb}`],
  ]),
  ['POST', `/admin/wallets/${bob}/ban`],
  ['POST', `/admin/wallets/${bob}/unban`],
]
const ofLabs: Call[] = [
  ['POST', `/labs/tokens/${token}/feature`],
  ['DELETE', `/labs/tokens/${token}/feature`],
]

async function call([method, url, payload]: Call, authorization?: string) {
  const headers = authorization ? { authorization } : {}
  const response = await app.inject({ method, url, headers, ...(payload && { payload }) })
  return { status: response.statusCode, body: response.json() }
}
const bearer = (wallet: string) => `Bearer ${app.issueToken(wallet)}`
const atBothMounts = (calls: Call[]) =>
  calls.flatMap(([method, url, payload]): Call[] => [
    [method, url, ...(payload ? [payload] : [])] as Call,
    [method, `/api${url}`, ...(payload ? [payload] : [])] as Call,
  ])

for (const one of atBothMounts([...reads, ...writes, ...ofOperators, ...ofLabs])) {
  t.test(`${one[0]} ${one[1]} needs a token that is good`, async (t) => {
    t.same(await call(one), failure(401, 'Missing bearer token'))
    t.same(await call(one, `Bearer ${expiredToken(ADMIN)}`), failure(401, 'Invalid or expired token'))
    t.same(await call(one, 'Bearer a.b.c'), failure(401, 'Invalid or expired token'))
  })
}

for (const one of atBothMounts(ofOperators)) {
  t.test(`${one[0]} ${one[1]} is for operators alone`, async (t) => {
    for (const wallet of [bob, LABS])
      t.same(await call(one, bearer(wallet)), failure(403, 'This wallet is not an operator'))
  })
}

for (const one of atBothMounts(ofLabs)) {
  t.test(`${one[0]} ${one[1]} is for labs alone`, async (t) => {
    for (const wallet of [bob, ADMIN])
      t.same(await call(one, bearer(wallet)), failure(403, 'This wallet is not on the labs list'))
  })
}

t.test('a banned wallet may call nothing that writes', async (t) => {
  t.equal((await send('POST', `/admin/wallets/${bob}/ban`, undefined, ADMIN)).status, 200)
  for (const one of atBothMounts(writes)) {
    t.same(await call(one, bearer(bob)), failure(403, 'This wallet is banned'), `${one[0]} ${one[1]}`)
  }
  for (const one of atBothMounts(reads)) t.equal((await call(one, bearer(bob))).status, 200)
})
