import t from 'tap'
import { type Hex, recoverMessageAddress } from 'viem'
import { domains } from '../../routes/index.ts'
import { describeApi } from '../../scripts/describe-api.ts'
import { createTestApp } from '../support/app.ts'

/** As much of JSON Schema as tells whether a value of it is shown. */
interface Schema {
  $ref?: string
  type?: string
  enum?: unknown[]
  const?: unknown
  examples?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
}
interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  requestBody?: { content?: Record<string, { schema?: Schema; example?: unknown }> }
  description?: string
  parameters?: { in: string; name: string; description?: string }[]
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema; example?: unknown }> }>
}
interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema> }
}

const { app } = await createTestApp()
t.teardown(() => app.close())
const document = app.swagger() as unknown as Document
const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method, operation, name: `${method} ${path}` })),
)

t.test('describes each operation once, with both mounts as servers', async (t) => {
  t.equal(document.openapi, '3.1.0')
  t.same(
    document.servers.map(({ url }) => url),
    ['/', '/api'],
  )
  t.notOk(operations.some(({ path }) => path.startsWith('/api/') || (path !== '/' && path.endsWith('/'))))
  const ids = operations.map(({ operation }) => operation.operationId)
  t.equal(new Set(ids).size, ids.length, 'operation ids are distinct')
})

t.test('describes every operation with its responses and errors', async (t) => {
  const known = new Set(domains.flatMap(({ tags = [] }) => tags).map(({ name }) => name))
  for (const { path, operation, name } of operations) {
    const statuses = Object.keys(operation.responses)
    t.match(operation.operationId, /^[a-z][A-Za-z0-9]+$/, `${name} has an operation id`)
    t.ok(operation.summary, `${name} has a summary`)
    t.equal(operation.tags?.length, 1, `${name} has one tag`)
    t.ok(known.has(operation.tags?.[0] ?? ''), `${name} has a tag that is described`)
    t.ok(
      statuses.some((status) => status.startsWith('2')),
      `${name} has a success`,
    )
    // The proxy says what is wrong in JSON-RPC, with status 200; only the limiter has a status of its own there.
    const all = path === '/rpc' ? ['429'] : ['429', '500', ...(operation.requestBody ? ['400', '415'] : [])]
    for (const status of all) t.ok(statuses.includes(status), `${name} has its ${status}`)
    for (const [status, { description }] of Object.entries(operation.responses)) {
      t.not(description, 'Default Response', `${name} describes its ${status}`)
    }
  }
})

t.test('explains every operation and parameter', async (t) => {
  for (const { operation, name } of operations) {
    t.match(operation.description, /\w+.*\.$/s, `${name} has a description`)
    const bare = (operation.parameters ?? []).filter(({ description }) => !description)
    t.strictSame(bare, [], `${name} explains its parameters`)
  }
})

/** The fields of a schema for which a reader is shown `string` or 0. */
function findBare(schema: Schema, path: string): string[] {
  const { $ref, type, anyOf, items, properties } = schema
  if ($ref) return findBare(document.components.schemas[$ref.split('/').at(-1) ?? ''] ?? {}, path)
  if (schema.examples || schema.enum || schema.const !== undefined || type === 'null' || type === 'boolean') return []
  if (properties) return Object.entries(properties).flatMap(([name, inner]) => findBare(inner, `${path}.${name}`))
  if (items) return findBare(items, `${path}[]`)
  return anyOf?.filter((one) => one.type !== 'null').some((one) => findBare(one, path).length === 0) ? [] : [path]
}

t.test('has an example of every field', async (t) => {
  for (const { operation, name } of operations) {
    const successes = Object.entries(operation.responses).filter(([status]) => status.startsWith('2'))
    const places = { body: operation.requestBody, ...Object.fromEntries(successes) }
    for (const [place, one] of Object.entries(places)) {
      const { schema, example } = one?.content?.['application/json'] ?? {}
      // An uploaded document holds what somebody put into it.
      if (!schema || example || operation.operationId === 'getUpload') continue
      t.strictSame(findBare(schema, place), [], name)
    }
  }
})

t.test('has a valid sign-in example', async (t) => {
  const { schema } = document.paths['/auth/login']?.post?.requestBody?.content?.['application/json'] ?? {}
  const [wallet, message, signature] = ['wallet', 'message', 'signature'].map((name) =>
    String(schema?.properties?.[name]?.examples?.[0]),
  ) as [string, string, Hex]
  t.equal((await recoverMessageAddress({ message, signature })).toLowerCase(), wallet)
})

t.test('marks exactly the operations that require a token', async (t) => {
  for (const { path, method, operation, name } of operations) {
    const wallet = `0x${'1'.repeat(40)}`
    // What is of the wallet given or of one's own refuses a caller only who is neither.
    const isOfWallet = operation.parameters?.some(
      (parameter) => parameter.in === 'query' && parameter.name === 'wallet',
    )
    const url = `${path.replace(/\{[^}]+\}/g, wallet)}${isOfWallet ? `?wallet=${wallet}` : ''}`
    const required = operation.security?.length === 1 && Object.keys(operation.security[0] ?? {}).length === 1
    const { statusCode, body } = await app.inject({ method: method as 'GET', url })
    t.equal(statusCode === 401 && body.includes('Missing bearer token'), required, name)
    if (required) t.ok(operation.responses['401'], `${name} describes its 401`)
  }
})

t.test('has no dangling references and no internal keywords', async (t) => {
  const text = JSON.stringify(document)
  for (const [, name] of text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)) {
    t.ok(document.components.schemas[name as string], `${name} is a component`)
  }
  t.notMatch(text, /x-expects|x-lowercase|x-reasons|x-failures|x-response-description|def-\d/)
})

t.test('is generated without a database, chain or network, equal each time', async (t) => {
  t.equal(await describeApi(), await describeApi())
})

t.test('serves the document and a page to try it, at both mounts', async (t) => {
  for (const mount of ['', '/api']) {
    const json = await app.inject(`${mount}/docs/json`)
    t.equal(json.statusCode, 200)
    t.same(json.json(), document)
    const root = await app.inject(mount || '/')
    t.same([root.statusCode, root.headers.location], [302, `${mount}/docs`])
    const page = await app.inject(`${mount}/docs`)
    t.match(page.headers['content-type'], 'text/html')
    t.match(page.headers['content-security-policy'], "script-src 'self'")
    t.notMatch(page.body, /<script>/, 'the page needs no inline script')
    const [, script] = /<script src="([^"]*swagger-ui-bundle\.js)"/.exec(page.body) ?? []
    const at = new URL(String(script), `http://localhost${mount}/docs`).pathname
    t.equal(at, `${mount}/docs/static/swagger-ui-bundle.js`)
    t.equal((await app.inject(at)).statusCode, 200)
  }
})
