import t from 'tap'
import { type Hex, recoverMessageAddress } from 'viem'
import { parse } from 'yaml'
import { domains } from '../../routes/index.ts'
import { describeApi } from '../../scripts/generate/describe-api.ts'
import { createTestApp } from '../support/app.ts'
import { resolveResponse } from '../support/resolve-response.ts'

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
  description?: string
}
interface Operation {
  operationId?: string
  summary?: string
  tags?: string[]
  security?: Record<string, unknown>[]
  requestBody?: { content?: Record<string, { schema?: Schema; example?: unknown }> }
  description?: string
  parameters?: { in: string; name: string; description?: string; required?: boolean; example?: unknown }[]
  responses: Record<string, { description: string; content?: Record<string, { schema?: Schema; example?: unknown }> }>
}
interface Document {
  openapi: string
  servers: { url: string }[]
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Schema>; responses: Record<string, object> }
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
    for (const [status, response] of Object.entries(operation.responses)) {
      const { description } = resolveResponse(document, response)
      t.not(description, 'Default Response', `${name} describes its ${status}`)
    }
  }
})

t.test('describes an error that several operations share once', async (t) => {
  const failures = operations.flatMap(({ operation: { responses } }) =>
    Object.entries(responses).flatMap(([status, response]) => (Number(status) >= 400 ? response : [])),
  )
  const written = failures.filter((response) => !('$ref' in response))
  t.ok(failures.length > 4 * written.length, `${written.length} of ${failures.length} are written out`)
})

t.test('begins with the list of tokens', async (t) => {
  t.equal(operations[0]?.path, '/tokens')
})

t.test('explains every component', async (t) => {
  for (const [name, { description }] of Object.entries(document.components.schemas))
    t.match(description, /^[A-Z].*\.$/s, `${name} has a description`)
})

/** What orval, openapi-generator, hey-api and kubb append to the name of an operation to name its types. */
const SUFFIXES =
  /^(Result|Response|Responses|Error|Errors|Params|Parameters|Body|Query|QueryParams|PathParams|HeaderParams|Headers|Request|Data|Default|Success|Mutation|Variables|QueryResult|QueryError|QueryKey|QueryResponse|MutationBody|MutationResult|MutationError|MutationRequest|MutationResponse|Request(Body)?|[1-5]\d\d(Response)?)$/

t.test('has no component whose name hides a global of JavaScript in generated clients', async (t) => {
  const names = Object.keys(document.components.schemas)
  t.same(
    names.filter((name) => name in globalThis),
    [],
  )
})

t.test('has no component whose name collides with generated types of an operation', async (t) => {
  for (const { operation } of operations) {
    const { operationId = '' } = operation
    const type = `${operationId[0]?.toUpperCase()}${operationId.slice(1)}`
    const clashes = Object.keys(document.components.schemas).filter(
      (name) => name.startsWith(type) && SUFFIXES.test(name.slice(type.length)),
    )
    t.strictSame(clashes, [], operationId)
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
    const required = operation.security?.length === 1 && 'bearer' in (operation.security[0] ?? {})
    const { statusCode, body } = await app.inject({ method: method as 'GET', url })
    t.equal(statusCode === 401 && body.includes('Missing bearer token'), required, name)
    if (required) t.ok(operation.responses['401'], `${name} describes its 401`)
  }
})

t.test('has no dangling references and no internal keywords', async (t) => {
  const text = JSON.stringify(document)
  const components = document.components as unknown as Record<string, Record<string, object>>
  const references = [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)]
  t.ok(references.length > 100, `${references.length} references`)
  for (const [, kind = '', name = ''] of references) t.ok(components[kind]?.[name], `${kind}/${name} is a component`)
  t.notMatch(text, /x-expects|x-lowercase|x-reasons|x-failures|x-response-description|def-\d/)
})

t.test('is generated without a database, chain or network, equal each time', async (t) => {
  t.equal(await describeApi(), await describeApi())
})

t.test('serves the document in JSON and YAML, at both mounts', async (t) => {
  for (const mount of ['', '/api']) {
    for (const path of ['/openapi.json', '/docs/json']) {
      const json = await app.inject(`${mount}${path}`)
      t.equal(json.statusCode, 200)
      t.equal(json.headers['content-type'], 'application/json; charset=utf-8')
      t.same(json.json(), document)
    }
    const yaml = await app.inject(`${mount}/openapi.yaml`)
    t.equal(yaml.headers['content-type'], 'application/yaml; charset=utf-8')
    t.same(parse(yaml.body), document)
    t.equal((await app.inject(`${mount}/docs/yaml`)).statusCode, 200)
  }
})

t.test('serves a page to try it, at both mounts', async (t) => {
  for (const mount of ['', '/api']) {
    const root = await app.inject(mount || '/')
    t.same([root.statusCode, root.headers.location], [302, `${mount}/docs`])
    const page = await app.inject(`${mount}/docs`)
    t.match(page.headers['content-type'], 'text/html')
    t.match(page.headers['content-security-policy'], "script-src 'self'")
    t.match(page.headers['content-security-policy'], "img-src 'self' data: blob:")
    t.notMatch(page.body, /<script>/, 'the page needs no inline script')
    const files = [...page.body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, path]) => String(path))
    t.ok(files.some((file) => file.endsWith('/swagger-ui-bundle.js')))
    for (const file of files) {
      const at = new URL(file, `http://localhost${mount}/docs`).pathname
      t.ok(at.startsWith(`${mount}/docs/static/`), at)
      t.equal((await app.inject(at)).statusCode, 200, at)
    }
    const icon = /<link rel="icon" type="image\/svg\+xml" href="([^"]*)"/.exec(page.body)?.[1]
    t.match((await app.inject(String(icon))).body, '<title>Slipway</title>', 'the icon is that of the web client')
  }
})

t.test('serves the page a document without examples of rows that do not exist', async (t) => {
  const live = (await app.inject('/api/docs/live.json')).json() as Document
  t.same(Object.keys(live.paths), Object.keys(document.paths))
  const filters = live.paths['/transactions']?.get?.parameters ?? []
  t.ok(filters.length > 0)
  for (const { name, example } of filters) t.equal(example, undefined, `${name} filters nothing at first`)
})
