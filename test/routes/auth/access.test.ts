import t from 'tap'
import type { Request } from '../../support/client.ts'
import { creatorOf, tokenAddress } from '../../support/market-simulation.ts'
import { atBothMounts, operations } from '../../support/operations.ts'
import { ADMIN, ann, bob, createPeopleApp, expiredToken, failure, LABS, say } from '../../support/people.ts'

/*
 * Who may not call what, of every operation that the API's document has and at both mounts: without a token, with one that
 * has expired or was revoked, by a banned wallet, by one that is not on the list, and by one whom it does not belong to. An
 * operation that is new is walked as well, and has to be added where this file lists exceptions.
 */
const market = await createPeopleApp(t)
const { app, send } = market
const bearer = (wallet: string) => `Bearer ${app.issueToken(wallet)}`

/** Changes something, and is open to all: how one signs in, applies, and reaches the chain. */
const openWrites = ['applyAsAmbassador', 'callNode', 'issueNonce', 'login']
/** About the token itself, and so open to a banned wallet. */
const aboutToken = ['getIdentity', 'logout']

const isWrite = ({ method }: { method: string }) => method !== 'GET'
const required = operations.filter(({ security }) => security === 'required')
const ofOperators = required.filter(({ path }) => path.startsWith('/admin/'))
const ofLabs = required.filter(({ path }) => path.startsWith('/labs/'))
const ofWallets = required.filter((operation) => !ofOperators.includes(operation) && !ofLabs.includes(operation))

const ask = (request: Request, authorization?: string) =>
  app.inject({ ...request, ...(authorization && { headers: { authorization } }) })

async function call(request: Request, authorization?: string) {
  const response = await ask(request, authorization)
  return { status: response.statusCode, body: response.json() }
}

const revoked = bearer(ann)
await app.inject({ method: 'POST', url: '/auth/logout', headers: { authorization: revoked } })
const worthless = [`Bearer ${expiredToken(ADMIN)}`, revoked, 'Bearer a.b.c', 'Basic YTpi']

t.test('every write requires a token, with listed exceptions', async (t) => {
  const open = operations.filter((operation) => isWrite(operation) && operation.security !== 'required')
  t.strictSame(open.map(({ id }) => id).sort(), openWrites)
  const guarded = operations.filter(({ path }) => /^\/(admin|labs)\//.test(path))
  t.strictSame(guarded, [...ofOperators, ...ofLabs], 'and every one of operators and labs')
})

for (const { name, request } of atBothMounts(required)) {
  t.test(`${name} requires a valid token`, async (t) => {
    t.strictSame(await call(request), failure(401, 'Missing bearer token'))
    for (const authorization of worthless)
      t.strictSame(await call(request, authorization), failure(401, 'Invalid or expired token'), authorization)
  })
}

/** Asked without naming a wallet, they are about the caller's own. */
const aboutCaller = ['getPortfolio', 'listHoldings', 'listStakingPositions']

t.test('an invalid optional token counts as none, unless the operation needs a wallet', async (t) => {
  const asked = operations.filter(({ security }) => security === 'optional')
  for (const { name, request, operation } of atBothMounts(asked)) {
    const anonymous = await call(request)
    const alone = aboutCaller.includes(operation.id)
    t.equal(anonymous.status === 401, alone, name)
    const expected = alone ? failure(401, 'Invalid or expired token') : anonymous
    for (const authorization of worthless) t.strictSame(await call(request, authorization), expected, name)
  }
})

t.test('public operations ignore the token', async (t) => {
  const asked = operations.filter((operation) => operation.security === 'none' && !isWrite(operation))
  for (const { name, request } of atBothMounts(asked)) {
    const anonymous = (await ask(request)).statusCode
    t.notOk([401, 403].includes(anonymous), name)
    for (const authorization of worthless) t.equal((await ask(request, authorization)).statusCode, anonymous, name)
  }
})

for (const { name, request } of atBothMounts(ofOperators)) {
  t.test(`${name} requires an operator`, async (t) => {
    for (const wallet of [bob, LABS])
      t.strictSame(await call(request, bearer(wallet)), failure(403, 'This wallet is not an operator'))
  })
}

for (const { name, request } of atBothMounts(ofLabs)) {
  t.test(`${name} requires a labs member`, async (t) => {
    for (const wallet of [bob, ADMIN])
      t.strictSame(await call(request, bearer(wallet)), failure(403, 'This wallet is not on the labs list'))
  })
}

t.test('resources can be changed by their owner only', async (t) => {
  const token = tokenAddress(1)
  const { id } = await say(market, ann, token, 'a comment')
  const [contract, number] = [`0x${'5a'.repeat(20)}`, '1']
  const raise = `${contract}-${number}`
  await market.db.insertInto('raises').values({ id: raise, contract, number, creator: ann }).execute()
  // Whose it is, is in the path alone; of a transaction it is in the receipt, which receipt-sync.test.ts is about.
  const owned = {
    patchToken: ['PATCH', `/tokens/${token}`, { description: 'x' }, 'Only the owner may change this token'],
    patchRaise: ['PATCH', `/raises/${raise}`, { description: 'x' }, 'Only the owner may change this raise'],
    deleteComment: ['DELETE', `/comments/${id}`, undefined, 'Only the owner may change this comment'],
  } as const
  /** One's own doing about what anybody may do that about. */
  const shared = [
    ...['postTokenComment', 'likeToken', 'unlikeToken', 'likeComment', 'unlikeComment', 'reportComment'],
    ...['followWallet', 'unfollowWallet'],
  ]
  const isChange = (operation: (typeof ofWallets)[number]) =>
    isWrite(operation) &&
    operation.parameters.some((parameter) => parameter.in === 'path') &&
    !operation.id.startsWith('sync')
  const changes = ofWallets.filter(isChange).map(({ id }) => id)
  t.strictSame(changes.sort(), [...Object.keys(owned), ...shared].sort())
  for (const [method, url, payload, error] of Object.values(owned)) {
    for (const mount of ['', '/api'])
      t.strictSame(await send(method, `${mount}${url}`, payload, bob), failure(403, error), url)
  }
  t.equal((await send('PATCH', `/tokens/${token}`, { description: 'x' }, creatorOf(1))).status, 200)
  t.equal((await send('DELETE', `/comments/${id}`, undefined, ann)).status, 200)
})

t.test('a banned wallet can read its own data and write nothing', async (t) => {
  t.equal((await send('POST', `/admin/wallets/${bob}/ban`, undefined, ADMIN)).status, 200)
  for (const { name, operation, request } of atBothMounts(ofWallets.filter(({ id }) => !aboutToken.includes(id)))) {
    const answer = await call(request, bearer(bob))
    if (isWrite(operation)) t.strictSame(answer, failure(403, 'This wallet is banned'), name)
    else t.equal(answer.status, 200, name)
  }
})
