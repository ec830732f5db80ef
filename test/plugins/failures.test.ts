import t from 'tap'
import { reasons as known } from '../../routes/index.ts'
import type { Operation } from '../contract/fuzzer/document.ts'
import { createTestApp, testConfig } from '../support/app.ts'
import { headersOf, type Request } from '../support/client.ts'
import { findUndeclared } from '../support/declared-reasons.ts'
import { makeMultipart } from '../support/multipart.ts'
import { makeRequest, operations } from '../support/operations.ts'
import { ADMIN, LABS } from '../support/people.ts'
import { resolveResponse } from '../support/resolve-response.ts'

/*
 * What the document says of failures: every reason by the header of its response, and an example of each that the service
 * really answers.
 */
const { app } = await createTestApp({ config: testConfig({ ADMIN_WALLETS: ADMIN, LABS_WALLETS: LABS }) })
t.teardown(() => app.close())

interface Response {
  headers?: Record<string, { schema?: { enum?: string[] } }>
  content?: Record<string, { schema?: { $ref?: string }; examples?: Record<string, { $ref?: string; value?: Body }> }>
}
interface Body {
  success: boolean
  data: unknown
  error: string
}
interface Described {
  operationId: string
  responses: Record<string, Response>
}
const document = app.swagger() as unknown as {
  paths: Record<string, Record<string, Described>>
  components: {
    responses: object
    examples: Record<string, { value: Body }>
    schemas: Record<string, { enum?: string[] }>
  }
}
const described = Object.values(document.paths)
  .flatMap((item) => Object.values(item))
  .map(({ operationId, responses }) => ({
    operationId,
    responses: Object.fromEntries(
      Object.entries(responses).map(([status, response]) => [status, resolveResponse(document, response)]),
    ) as Described['responses'],
  }))

/** The sentence of a reason, with anything in place of its data. */
function patternOf(reason: string): RegExp {
  const hole = { toString: () => '\0', join: () => '\0' }
  const text = String(known[reason]?.message(new Proxy({}, { get: () => hole })))
  return new RegExp(`^${text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('\0', '.+')}$`)
}

t.test('every error response lists its reasons with examples', async (t) => {
  for (const { operationId, responses } of described) {
    for (const [status, { headers, content }] of Object.entries(responses)) {
      if (Number(status) < 400) continue
      const name = `${operationId} ${status}`
      const reasons = headers?.['x-error-reason']?.schema?.enum ?? []
      t.ok(reasons.length > 0, `${name} has reasons`)
      for (const reason of reasons) t.equal(known[reason]?.status, Number(status), `${name} ${reason}`)
      const { schema, examples = {} } = content?.['application/json'] ?? {}
      t.strictSame(Object.keys(examples), reasons, `${name} shows each reason`)
      if (schema?.$ref !== '#/components/schemas/ErrorEnvelope') continue
      for (const [reason, example] of Object.entries(examples)) {
        const { value } = example.$ref ? (document.components.examples[reason] ?? {}) : example
        t.match(value, { success: false, data: null, error: patternOf(reason) }, `${name} ${reason}`)
      }
    }
  }
})

t.test('an undeclared reason is detected, as in every test that opens an app', async (t) => {
  t.equal(findUndeclared(app, 'getToken', 404, 'TOKEN_NOT_FOUND'), null)
  t.equal(findUndeclared(app, 'getToken', 409, 'CONFLICT'), 'getToken does not declare CONFLICT with 409')
  t.match(findUndeclared(app, 'getToken', 404, undefined), 'does not declare')
})

t.test('shared examples are those of the reasons, and all reasons are listed', async (t) => {
  const examples = Object.entries(document.components.examples)
  t.ok(examples.length > 20, `${examples.length} examples`)
  for (const [name, { value }] of examples) {
    const reason = known[name]
    t.strictSame(value, { success: false, data: null, error: reason?.message(reason.example) })
  }
  t.strictSame(document.components.schemas.ErrorReason?.enum, Object.keys(known).sort())
})

/** A value that the sentence refuses. */
function breakRule(problem: string): unknown {
  const [, maximum] = /^must be <= (\d+)$/.exec(problem) ?? []
  if (maximum) return `${BigInt(maximum) + 1n}`
  const [, count, unit] = /^must have at most (\d+) (character|item)s$/.exec(problem) ?? []
  if (unit === 'item') return Array(Number(count) + 1).fill('1')
  return count ? 'x'.repeat(Number(count) + 1) : '\0'.repeat(4)
}

/** A request of the operation in which that field is wrong. */
function makeBroken(operation: Operation, [place, field, problem]: readonly string[]): Request {
  const request = makeRequest(operation)
  const [path = '', query = ''] = request.url.split('?')
  const search = new URLSearchParams(query)
  if (place === 'path') {
    const names = operation.path.split('/')
    const parts = path.split('/')
    parts[names.indexOf(`{${field}}`)] = encodeURIComponent(String(breakRule(problem as string)))
    return { ...request, url: `${parts.join('/')}?${search}` }
  }
  if (place === 'query') {
    search.set(field as string, String(breakRule(problem as string)))
    return { ...request, url: `${path}?${search}` }
  }
  if (problem === 'must not be given twice')
    return { ...request, headers: { 'content-type': 'application/json' }, payload: `{"${field}":1,"${field}":2}` }
  if (operation.body?.type === 'multipart/form-data')
    return { ...request, ...makeMultipart({ name: 'other', content: 'x' }) }
  // Where no field is required, one may exclude another.
  const others = operation.body?.schema.required ? (request.payload as object) : {}
  return { ...request, payload: { ...others, [field as string]: breakRule(problem as string) } }
}

let exampleCount = 0
for (const operation of operations) {
  const { responses } = described.find(({ operationId }) => operationId === operation.id) as Described
  const { value } = responses[400]?.content?.['application/json']?.examples?.INVALID_INPUT ?? {}
  if (!value) continue
  exampleCount++
  t.test(`${operation.id} returns its example of INVALID_INPUT`, async (t) => {
    const sentence = value.error ?? (value as unknown as { errmsg: string }).errmsg
    const [, ...said] = /^(\w+)\.(\w+) (.+)$/.exec(sentence) ?? []
    const broken = makeBroken(operation, said)
    const wallet = operation.path.startsWith('/admin/')
      ? ADMIN
      : operation.path.startsWith('/labs/')
        ? LABS
        : `0x${'a'.repeat(40)}`
    const answer = await app.inject({ ...broken, headers: { ...headersOf(app, wallet), ...broken.headers } })
    t.strictSame([answer.statusCode, answer.json()], [400, value])
    t.equal(answer.headers['x-error-reason'], 'INVALID_INPUT')
  })
}
t.ok(exampleCount > 30, `${exampleCount} operations have an example of INVALID_INPUT`)
