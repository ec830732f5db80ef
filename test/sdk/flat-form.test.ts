import fc from 'fast-check'
import t from 'tap'
import { createApi, type ListMethod } from '../../sdk/src/api/index.ts'
import * as sdk from '../../sdk/src/index.ts'
import { type AnyOperation, keyOf } from '../../sdk/src/react/index.ts'
import { type Operation, readDocument, type Schema } from '../contract/fuzzer/document.ts'
import { allowedBy } from '../contract/fuzzer/generate.ts'
import { headersOf } from '../support/client.ts'
import { ADMIN, createMarketApp } from '../support/market-app.ts'

const document = await readDocument(new URL('../../openapi.yaml', import.meta.url))
const { app } = await createMarketApp(t, { LABS_WALLETS: ADMIN })
const url = await app.listen({ host: '127.0.0.1', port: 0 })

interface Sent {
  url: URL
  init: RequestInit
  response: Response
}
let last: Sent | undefined

const api = createApi({
  baseUrl: url,
  token: String(headersOf(app, ADMIN).authorization).replace('Bearer ', ''),
  fetch: async (input, init = {}) => {
    const response = await fetch(input, init)
    last = { url: new URL(String(input)), init, response }
    return response
  },
})

// biome-ignore lint/suspicious/noExplicitAny: the arguments are those of the document
type AnyMethod = ListMethod<any[], any>

/** Each method of the client, with its name. */
function* listMethods(of: object, path: string[] = []): Generator<[name: string, method: AnyMethod]> {
  for (const [name, one] of Object.entries(of)) {
    const names = [...path, name]
    if (typeof one === 'function' && 'operation' in one) yield [names.join('.'), one as AnyMethod]
    else if (typeof one === 'object' && one !== null) yield* listMethods(one, names)
  }
}
const methods = [...listMethods(api)]
const raw = sdk as unknown as Record<string, unknown>

/** A value that a schema allows, equal in every run. */
const pick = (schema: Schema): unknown => fc.sample(allowedBy(schema, document), { seed: 7, numRuns: 1 })[0]
const pickAll = (parameters: Operation['parameters']): Record<string, unknown> =>
  Object.fromEntries(parameters.map(({ name, schema }) => [name, pick(schema)]))

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
/** Bodies that a schema does not describe entirely. */
const BODIES: Record<string, object> = {
  readNotifications: { all: true },
  uploadImage: { file: new Blob([Buffer.from(PIXEL, 'base64')], { type: 'image/png' }) },
}

const TICKER = `0x${'a'.repeat(40)}:MC`
/** Query parameters that are valid together, or that a schema does not describe entirely. */
const QUERIES: Record<string, object> = {
  dexScreenerEvents: { fromBlock: 1, toBlock: 2 },
  geckoTerminalEvents: { fromBlock: 1, toBlock: 2 },
  udfSymbol: { symbol: TICKER },
  udfMarks: { symbol: TICKER },
  udfHistory: { symbol: TICKER, from: 1_700_000_000, to: 1_700_003_600 },
}

/** Arguments of an operation: parameters of its path in order, then the fields. */
function makeArguments({ id, path, parameters, body }: Operation, isNeeded: (name: { required: boolean }) => boolean) {
  const places = pickAll(parameters.filter((one) => one.in === 'path'))
  const values = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => places[String(name)])
  const query = { ...pickAll(parameters.filter((one) => one.in === 'query' && isNeeded(one))), ...QUERIES[id] }
  const fields = body ? (BODIES[id] ?? pick(body.schema)) : undefined
  const pathname = path.replaceAll(/\{(\w+)\}/g, (_, name) => encodeURIComponent(String(places[name])))
  return { values, query, fields, pathname }
}

const send = async (method: AnyMethod, args: unknown[]): Promise<Sent> => {
  last = undefined
  await method(...args).catch((error: unknown) => {
    if (!(error instanceof sdk.SlipwayError)) throw error
  })
  if (!last) throw new Error('Nothing was sent')
  return last
}

t.test('every operation of the document is one method of the client', async (t) => {
  const ids = document.operations.map(({ id }) => id)
  t.same(
    ids.filter((id) => methods.filter(([, { operation }]) => operation === raw[id]).length !== 1),
    [],
  )
  t.equal(methods.length, ids.length)
})

for (const operation of document.operations) {
  const [name, method] = methods.find(([, one]) => one.operation === raw[operation.id]) ?? []
  if (!name || !method) continue
  t.test(`${name} sends ${operation.method} ${operation.path} with its path, query and body`, async (t) => {
    const { values, query, fields, pathname } = makeArguments(operation, () => true)
    const hasQuery = operation.parameters.some((one) => one.in === 'query')
    const own = operation.body ? [fields] : hasQuery ? [query] : []
    const { url, init } = await send(method, [...values, ...own, { headers: { 'x-request-id': 'flat' } }])
    t.equal(init.method, operation.method)
    const single = raw[operation.id] as AnyOperation
    const path = pickAll(operation.parameters.filter((one) => one.in === 'path'))
    t.same(keyOf(method), keyOf(single), 'its query keys are those of the single function')
    t.same(keyOf(method.with(...values, ...own)), keyOf(single, { path, query, body: fields ?? {} }))
    t.equal(url.pathname, pathname)
    t.same(
      [...url.searchParams],
      Object.entries(query).flatMap(([key, value]) => [value].flat().map((one) => [key, String(one)])),
    )
    if (init.body instanceof FormData) t.type(init.body.get('file'), Blob)
    else t.same(init.body === undefined ? undefined : JSON.parse(String(init.body)), fields)
    t.equal(new Headers(init.headers).get('x-request-id'), 'flat')
  })

  t.test(`${name} is accepted by the service with nothing but what it needs`, async (t) => {
    const { values, query, fields } = makeArguments(operation, ({ required }) => required)
    const needed = fields ?? (Object.keys(query).length > 0 ? query : undefined)
    const { response } = await send(method, needed === undefined ? values : [...values, needed])
    const reason = response.headers.get('x-error-reason')
    t.notMatch(
      String(reason),
      /^(INVALID_INPUT|MALFORMED_\w+|ROUTE_NOT_FOUND|METHOD_NOT_ALLOWED|UNSUPPORTED_MEDIA_TYPE)$/,
    )
    t.not(response.status, 405)
  })
}
