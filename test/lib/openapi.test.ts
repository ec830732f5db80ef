import { Type } from '@sinclair/typebox'
import t from 'tap'
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
