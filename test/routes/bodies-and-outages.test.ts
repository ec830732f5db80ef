import { Kysely, PostgresDialect } from 'kysely'
import pg from 'pg'
import t from 'tap'
import type { Database } from '../../db/schema.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { headersOf } from '../support/client.ts'
import { createTestEvents } from '../support/live-events.ts'
import { makeMultipart } from '../support/multipart.ts'
import { atBothMounts, operations } from '../support/operations.ts'
import { ADMIN, failure, LABS } from '../support/people.ts'

/*
 * What every operation of the API's document has in common: how it refuses a body that it cannot read, and what it says
 * while the database is down. A new operation is walked as well.
 */
const config = testConfig({ ADMIN_WALLETS: ADMIN, LABS_WALLETS: LABS })
const down = new Kysely<Database>({
  dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString: 'postgres://127.0.0.1:1/none' }) }),
})
const [{ app }, { app: cut }] = await Promise.all([
  createTestApp({ config }),
  createTestApp({ config, services: { db: down, live: createTestEvents() } }),
])
t.teardown(() => Promise.all([app.close(), cut.close()]))

/** Somebody who may. */
const headersFor = ({ path }: { path: string }) =>
  headersOf(app, path.startsWith('/admin/') ? ADMIN : path.startsWith('/labs/') ? LABS : `0x${'a'.repeat(40)}`)

const JSON_TYPE = 'application/json'
/** Where bodies may be longer, and in a form of their own: see rpc.test.ts and uploads.test.ts. */
const withJson = operations.filter(({ body, id }) => body?.type === JSON_TYPE && id !== 'callNode')

for (const { operation, request, name } of atBothMounts(withJson)) {
  t.test(`${name} rejects a body that is too large, not JSON, or malformed`, async (t) => {
    const post = async (payload: string, type: string, encoding?: string) => {
      const headers = {
        ...{ ...headersFor(operation), 'content-type': type },
        ...(encoding && { 'content-encoding': encoding }),
      }
      const answer = await app.inject({ ...request, headers, payload })
      return { status: answer.statusCode, body: answer.json() }
    }
    t.strictSame(await post('{"a":', JSON_TYPE), failure(400, 'body is not valid JSON'))
    t.strictSame(await post('{"__proto__":{"a":1}}', JSON_TYPE), failure(400, 'body is not valid JSON'))
    t.strictSame(await post('{"a":{"constructor":{"prototype":1}}}', JSON_TYPE), failure(400, 'body is not valid JSON'))
    t.strictSame(await post('[]', JSON_TYPE), failure(400, 'body must be an object'))
    for (const [twice, field] of [
      ['{"txHash":1,"txHash":2}', 'body.txHash'],
      ['{"txHash":1,"tx\\u0048ash":2}', 'body.txHash'],
      ['{"a":[{"b":1},{"b":1,"c":{},"b":2}]}', 'body.a.1.b'],
    ] as const)
      t.strictSame(await post(twice, JSON_TYPE), failure(400, `${field} must not be given twice`))
    const large = JSON.stringify({ txHash: 'x'.repeat(70_000) })
    t.strictSame(await post(large, JSON_TYPE), failure(413, 'Request body is too large'))
    const wants = failure(415, 'Unsupported content type; send application/json')
    for (const type of ['text/xml', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=a'])
      t.strictSame(await post('<a/>', type), wants, type)
    t.equal((await post('{}', JSON_TYPE, 'gzip')).status, 415)
    for (const status of [400, 413, 415]) t.ok(operation.responses.has(status), `it is declared: ${status}`)
  })
}

const writes = operations.filter(({ method, id }) => method !== 'GET' && id !== 'callNode')

for (const { operation, request, name } of atBothMounts(writes)) {
  t.test(`${name} answers 413, 415 and 417 as it declares`, async (t) => {
    const wanted = operation.body?.type ?? JSON_TYPE
    const send = async (headers: Record<string, string>, payload: string | Buffer) => {
      const all = { ...headersFor(operation), 'content-type': wanted, ...headers }
      const answer = await app.inject({ ...request, headers: all, payload })
      return { status: answer.statusCode, body: answer.json() }
    }
    const encoded = failure(415, 'Unsupported content encoding; send the body uncompressed')
    const large = 'x'.repeat(wanted === JSON_TYPE ? 70_000 : 6_000_000)
    const file = makeMultipart({ name: 'file', filename: 'a.png', contentType: 'image/png', content: large })
    const sent = wanted === JSON_TYPE ? { headers: {}, payload: `{"a":"${large}"}` } : file
    t.strictSame(await send(sent.headers, sent.payload), failure(413, 'Request body is too large'))
    t.strictSame(
      await send({ 'content-type': 'text/plain' }, 'a'),
      failure(415, `Unsupported content type; send ${wanted}`),
    )
    for (const encoding of ['gzip', 'br', 'identity, gzip', 'zstd'])
      t.strictSame(await send({ 'content-encoding': encoding }, '{}'), encoded, encoding)
    t.strictSame(await send({ expect: 'a-miracle' }, '{}'), failure(417, 'Unsupported Expect header'))
    t.not((await send({ expect: '100-continue', 'content-encoding': 'Identity' }, '{}')).status, 417)
    for (const status of [400, 413, 415, 417]) t.ok(operation.responses.has(status), `it declares ${status}`)
  })
}

t.test('a read ignores headers about a body', async (t) => {
  for (const { operation, request, name } of atBothMounts(operations.filter(({ method }) => method === 'GET'))) {
    const headers = { 'content-encoding': 'gzip', expect: 'a-miracle', 'content-type': 'text/plain' }
    const answer = await cut.inject({ ...request, headers: { ...headersFor(operation), ...headers } })
    t.notOk([413, 415, 417].includes(answer.statusCode), name)
  }
})

/** What each does without the database: sign in, answer from cache, storage and configuration, or ask the node. */
const withoutDatabase: Record<string, number> = {
  ...{ issueNonce: 200, login: 401, getUpload: 404, getTokenCard: 200, getProfitCard: 200, callNode: 200 },
  ...{ getConfig: 200, getAbi: 200, getLiveness: 200, getMetrics: 200, udfConfig: 200, udfTime: 200 },
  // Refused before anything is looked up: what it must have is not the document's to say.
  ...{ udfHistory: 400, udfSymbol: 400, udfMarks: 400, refreshToken: 401 },
}

t.test('while the database is down, each operation is 503 or works without it', async (t) => {
  for (const { operation, request, name } of atBothMounts(operations)) {
    const answer = await cut.inject({ ...request, headers: headersFor(operation) })
    const expected = withoutDatabase[operation.id] ?? 503
    t.equal(answer.statusCode, expected, name)
    t.ok(operation.responses.has(expected), `${name} declares its ${expected}`)
    if (expected !== 503) continue
    t.match(answer.body, /The database is unavailable|Failed checks: database/, name)
    t.match(answer.headers, { 'retry-after': /^\d+$/, 'content-type': /^application\/json/ }, name)
  }
})
