import { Type } from '@sinclair/typebox'
import type { FastifyContextConfig, FastifySchema } from 'fastify'
import t from 'tap'
import { describeFailures } from '../../lib/openapi/describe-failures.ts'
import { exemplifyInvalidInput } from '../../lib/openapi/invalid-input.ts'
import { shareResponses } from '../../lib/openapi/share-responses.ts'

t.test('the example of invalid input violates the first bound of an operation', async (t) => {
  const example = (schema: Parameters<typeof exemplifyInvalidInput>[0]) => exemplifyInvalidInput(schema).message
  const query = (field: object) => example({ querystring: Type.Object({ field: Type.Optional(field as never) }) })
  const body = (field: object) => example({ body: Type.Object({ field: Type.Optional(field as never) }) })
  t.match(query(Type.Integer({ minimum: 1, maximum: 100 })), /^query\.field must be .*100/)
  t.match(query(Type.Integer({ minimum: 1 })), /^query\.field must be .*1/)
  t.equal(query(Type.Integer()), 'query.field must be an integer')
  t.equal(query(Type.Boolean()), 'query.field must be a boolean')
  t.equal(body(Type.String()), 'body.field must be a string')
  t.equal(body(Type.Boolean()), 'body.field must be a boolean')
  const none = example({})
  t.equal(query(Type.String()), none, 'every value of a query is a text')
  t.equal(example({ params: Type.Object({ field: Type.String() }) }), none)
  t.equal(query({}), none, 'any value is accepted')
  t.equal(
    example({ querystring: Type.Object({ any: Type.String(), count: Type.Integer() }) }),
    'query.count must be an integer',
    'a field without a bound is skipped',
  )
})

interface Described {
  'x-failures': Record<string, { reasons?: string[]; examples?: Record<string, object> }>
  response: Record<string, object>
}
const describe = (method: string, schema: FastifySchema = {}, config: FastifyContextConfig = {}) =>
  describeFailures(schema, { method, config } as never) as unknown as Described
const reasonsOf = (...of: Parameters<typeof describe>) =>
  Object.values(describe(...of)['x-failures']).flatMap(({ reasons = [] }) => reasons)
/** The reasons that the second operation has more than the first, and fewer. */
const compare = (one: readonly string[], other: readonly string[]) => [
  other.filter((reason) => !one.includes(reason)).toSorted(),
  one.filter((reason) => !other.includes(reason)).toSorted(),
]

t.test('the reasons of an operation follow from its method, its input and its security', async (t) => {
  const read = reasonsOf('GET')
  const always = ['INTERNAL', 'MALFORMED_REQUEST', 'OVERLOADED', 'RATE_LIMITED']
  t.strictSame(read.toSorted(), [...always, 'DATABASE_FULL', 'DATABASE_UNAVAILABLE'].toSorted())
  const body = ['BODY_TOO_LARGE', 'EXPECTATION_FAILED', 'MALFORMED_BODY', 'REQUEST_TIMEOUT', 'UNSUPPORTED_ENCODING']
  const written = [...body, 'DATABASE_READ_ONLY', 'INVALID_INPUT', 'MALFORMED_JSON', 'UNSUPPORTED_MEDIA_TYPE']
  t.strictSame(compare(read, reasonsOf('POST')), [written.toSorted(), []])
  t.strictSame(compare(reasonsOf('POST'), reasonsOf('POST', { consumes: ['multipart/form-data'] })), [
    [],
    ['MALFORMED_JSON'],
  ])
  for (const input of ['params', 'querystring', 'body'] as const)
    t.strictSame(compare(read, reasonsOf('GET', { [input]: Type.Object({}) })), [['INVALID_INPUT'], []], input)
  const token = [['CACHE_UNAVAILABLE', 'JWT_INVALID', 'JWT_MISSING'], []]
  t.strictSame(compare(read, reasonsOf('GET', { security: [{ bearer: [] }] })), token)
  for (const security of [[], [{}, { bearer: [] }]])
    t.strictSame(compare(read, reasonsOf('GET', { security })), [[], []], 'a token is optional')
  const database = ['DATABASE_FULL', 'DATABASE_UNAVAILABLE']
  t.strictSame(compare(read, reasonsOf('GET', {}, { needsDatabase: false })), [[], database])
  t.strictSame(compare(reasonsOf('POST'), reasonsOf('POST', {}, { needsDatabase: false })), [
    [],
    ['DATABASE_FULL', 'DATABASE_READ_ONLY', 'DATABASE_UNAVAILABLE'],
  ])
})

t.test('the examples of an operation are shared unless they are its own', async (t) => {
  const example = (reason: string, ...of: Parameters<typeof describe>) =>
    Object.values(describe(...of)['x-failures']).find(({ reasons }) => reasons?.includes(reason))?.examples?.[reason]
  t.strictSame(example('INTERNAL', 'GET'), { $ref: '#/components/examples/INTERNAL' })
  t.strictSame(example('RATE_LIMITED', 'GET'), { $ref: '#/components/examples/RATE_LIMITED' })
  const own = (reason: string, ...of: Parameters<typeof describe>) =>
    (example(reason, ...of) as { value?: { error?: string } }).value?.error
  t.match(own('RATE_LIMITED', 'GET', {}, { rateLimitExempt: true }), 'connections')
  t.match(own('UNSUPPORTED_MEDIA_TYPE', 'POST'), 'application/json')
  t.match(own('UNSUPPORTED_MEDIA_TYPE', 'POST', { consumes: ['image/png'] }), 'image/png')
  const querystring = Type.Object({ count: Type.Integer() })
  t.equal(own('INVALID_INPUT', 'GET', { querystring }), 'query.count must be an integer')
})

t.test('a protocol of its own reports most failures with status 200', async (t) => {
  const toBody = ({ reason }: { reason: string }) => ({ failed: reason })
  const failureFormat = { component: 'Own', toBody, reasons: ['RATE_LIMITED'] }
  const described = describe('GET', {}, { failureFormat } as unknown as FastifyContextConfig)
  t.strictSame(described['x-failures'], {
    200: {},
    429: { reasons: ['RATE_LIMITED'], examples: { RATE_LIMITED: { value: { failed: 'RATE_LIMITED' } } } },
  })
  t.notOk(describe('GET')['x-failures'][200])
  t.match(described.response, { 429: { $ref: 'Own' } })
  t.match(describe('GET').response[500], { $ref: 'ErrorEnvelope' })
  const kept = { 200: Type.Object({}) }
  t.equal(describe('GET', { response: kept }).response[200], kept[200], 'its own responses stay')
})

const failure = (...reasons: string[]) => ({ headers: { 'x-error-reason': { schema: { enum: reasons } } } })

t.test('errors of several operations are shared by their reasons and quota bucket', async (t) => {
  const operation = (bucket: string | undefined, ...reasons: string[]) => ({
    ...(bucket !== undefined && { 'x-rate-limit-bucket': bucket }),
    responses: { 200: { description: 'fine' }, 429: failure(...reasons) },
  })
  const share = (...operations: object[]) => {
    const paths = Object.fromEntries(operations.map((get, index) => [`/${index}`, { get }]))
    return Object.keys(
      (shareResponses({ paths }) as unknown as { components: { responses: object } }).components.responses,
    )
  }
  const twice = (bucket: string | undefined, ...reasons: string[]) =>
    share(operation(bucket, ...reasons), operation(bucket, ...reasons))
  t.same(twice(undefined, 'RATE_LIMITED'), ['RATE_LIMITED'])
  t.same(twice('none', 'RATE_LIMITED'), ['RATE_LIMITED'])
  t.same(twice('search', 'RATE_LIMITED'), ['RATE_LIMITED.search'])
  t.same(twice('search', 'NOT_FOUND'), ['NOT_FOUND'], 'another failure has no quota')
  t.same(twice('search', 'RATE_LIMITED', 'OVERLOADED'), ['RATE_LIMITED.OVERLOADED.search'])
  t.same(share(operation('search', 'RATE_LIMITED'), operation('reads', 'RATE_LIMITED')), [], 'of two buckets')
  t.same(share(operation('search', 'RATE_LIMITED')), [], 'of one operation')
  t.same(share({ responses: { 200: {} } }, { responses: { 200: {} } }, {}), [], 'only failures are shared')
})

t.test('the most frequent of several errors with equal reasons is shared', async (t) => {
  const usual = { ...failure('NOT_FOUND'), description: 'usual' }
  const other = { ...failure('NOT_FOUND'), description: 'other' }
  const document = shareResponses({
    components: { responses: { Known: {} }, schemas: {} },
    paths: Object.fromEntries(
      [other, usual, usual].map((one, index) => [`/${index}`, { get: { responses: { 404: one } } }]),
    ),
  })
  const $ref = '#/components/responses/NOT_FOUND'
  t.same(document, {
    components: { responses: { Known: {}, NOT_FOUND: usual }, schemas: {} },
    paths: {
      '/0': { get: { responses: { 404: other } } },
      '/1': { get: { responses: { 404: { $ref } } } },
      '/2': { get: { responses: { 404: { $ref } } } },
    },
  })
})
