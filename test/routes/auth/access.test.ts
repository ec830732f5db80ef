import { sql } from 'kysely'
import t from 'tap'
import { bytes } from '../../../db/hex.ts'
import { REASON_HEADER } from '../../../errors.ts'
import type { Operation } from '../../contract/fuzzer/document.ts'
import { mounts, type Request } from '../../support/client.ts'
import { creatorOf, tokenAddress } from '../../support/market-simulation.ts'
import { atBothMounts, makeRequest, operations } from '../../support/operations.ts'
import { ADMIN, ann, bob, createPeopleApp, eve, expiredToken, failure, LABS, say } from '../../support/people.ts'

/*
 * Access to every operation of the API's document, at both mounts: without a token, with an expired or revoked one, as a
 * banned wallet, as one that is not on the list, and as one that does not own the resource. New operations are included; a
 * new exception has to be added to the lists of this file.
 */
const market = await createPeopleApp(t)
const { app, send } = market
const bearer = (wallet: string) => `Bearer ${app.issueToken(wallet)}`

/** Without a token: how one signs in, continues a session, applies, reaches the chain, and reads what a URL is too short to name. */
const openWrites = ['applyAsAmbassador', 'callNode', 'getTokens', 'issueNonce', 'listAuthors', 'login', 'refreshToken']
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
const aboutCaller = ['getHolding', 'getPortfolio', 'listHoldings', 'listStakingPositions']

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

/** Writes about something that the path names. The owner of a transaction is in its receipt: see receipt-sync.test.ts. */
const changes = ofWallets.filter(
  (operation) =>
    isWrite(operation) &&
    operation.parameters.some((parameter) => parameter.in === 'path') &&
    !operation.id.startsWith('sync'),
)
/** Changes of what only its owner sees: for others it does not exist. */
const ofPrivate = ['deleteAlert']
const declaresOwner = ({ responses }: Operation) =>
  responses.get(403)?.headers.some(({ name, validate }) => name === REASON_HEADER && validate('NOT_OWNER')) === true

/** Requests about resources of eve and of a creator: a path parameter takes the first one that its schema allows. */
async function createResources(): Promise<(operation: Operation, mount?: string) => Request> {
  const { id: comment } = await say(market, eve, tokenAddress(1), 'a comment')
  const [contract, number] = [`0x${'5a'.repeat(20)}`, '1']
  const raise = `${contract}-${number}`
  await market.db.insertInto('raises').values({ id: raise, contract, number, creator: eve }).execute()
  await sql`insert into token_alerts (token_id, id, wallet, measure, direction, threshold, since_block)
    values (1, ${comment}::bigint, ${bytes(eve)}, 'graduation', 'above', 0, 0)`.execute(market.db)
  const ids = [tokenAddress(1), raise, comment]
  return (operation, mount = '') => {
    const url = operation.parameters
      .filter((parameter) => parameter.in === 'path')
      .reduce(
        (path, { name, validate }) => path.replace(`{${name}}`, String(ids.find((id) => validate(id)))),
        operation.path,
      )
    return { ...makeRequest(operation), url: `${mount}${url}` }
  }
}

/** Rows that do not name a wallet, by table, without their counts. Events are not compared. */
async function readRowsOfOthers(wallet: string): Promise<Record<string, string[]>> {
  const { rows: tables } = await sql<{ name: string; counts: string[] }>`
    select table_name as name, coalesce(array_agg(column_name::text) filter (where data_type in ('integer', 'bigint')), '{}') as counts
    from information_schema.columns
    where table_schema = current_schema() and table_name not like 'kysely_%' and table_name not like 'outbox%'
    group by table_name`.execute(market.db)
  const read = async ({ name, counts }: (typeof tables)[number]) => {
    const { rows } = await sql<{ row: string }>`
      select (to_jsonb(r) - ${counts}::text[])::text as row from ${sql.table(name)} r
      where strpos(to_jsonb(r)::text, ${wallet.slice(2)}) = 0 order by 1`.execute(market.db)
    return [name, rows.map(({ row }) => row)]
  }
  const found = []
  for (const table of tables) found.push(await read(table))
  return Object.fromEntries(found)
}

t.test('a wallet changes only what it owns', async (t) => {
  const makeChange = await createResources()
  const hidden = changes.filter(({ id }) => ofPrivate.includes(id))
  const [owned, shared] = [true, false].map((isOwned) =>
    changes.filter((operation) => declaresOwner(operation) === isOwned && !hidden.includes(operation)),
  ) as [Operation[], Operation[]]
  t.ok(owned.length > 0 && shared.length > 0)
  t.equal(hidden.length, ofPrivate.length)
  // Ann does the same before bob, so that there are rows that he could change by mistake.
  for (const operation of shared.filter(({ method }) => method !== 'DELETE'))
    t.equal((await call(makeChange(operation), bearer(ann))).status, 200, operation.id)
  const before = await readRowsOfOthers(bob)
  const unchanged = async (name: string) => t.strictSame(await readRowsOfOthers(bob), before, `${name}: rows of others`)
  for (const operation of owned) {
    for (const mount of mounts) {
      const answer = await ask(makeChange(operation, mount), bearer(bob))
      t.strictSame([answer.statusCode, answer.headers[REASON_HEADER]], [403, 'NOT_OWNER'], operation.id)
      t.match(answer.json().error, /^Only the owner may change this /)
    }
    await unchanged(operation.id)
  }
  for (const operation of hidden) {
    t.equal((await call(makeChange(operation), bearer(bob))).status, 404, operation.id)
    await unchanged(operation.id)
  }
  for (const operation of shared) {
    t.equal((await call(makeChange(operation), bearer(bob))).status, 200, operation.id)
    await unchanged(operation.id)
  }
  const url = `/tokens/${tokenAddress(1)}`
  t.equal((await send('PATCH', url, { description: 'x' }, creatorOf(1))).status, 200, 'the owner may')
})

t.test('a banned wallet can read its own data and write nothing', async (t) => {
  t.equal((await send('POST', `/admin/wallets/${bob}/ban`, undefined, ADMIN)).status, 200)
  for (const { name, operation, request } of atBothMounts(ofWallets.filter(({ id }) => !aboutToken.includes(id)))) {
    const answer = await call(request, bearer(bob))
    if (isWrite(operation)) t.strictSame(answer, failure(403, 'This wallet is banned'), name)
    else t.equal(answer.status, 200, name)
  }
})
