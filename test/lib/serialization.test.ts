import { Type } from '@sinclair/typebox'
import Fastify from 'fastify'
import t from 'tap'
import { createValidation } from '../../lib/validation/validation.ts'
import { component, IsoTime, Nullable, OneOf, ref } from '../../schemas/common.ts'

const Part = component('Part', { size: Nullable(Type.Integer()) })
const Whole = Type.Object({
  text: Nullable(Type.String()),
  amount: Nullable(Type.Number()),
  flag: Nullable(Type.Boolean()),
  at: Nullable(IsoTime),
  kind: Nullable(OneOf(['a', 'b'])),
  part: ref(Part),
  other: Nullable(ref(Part)),
  list: Type.Array(Nullable(Type.String())),
})

const full = {
  text: 'slip"way\n\u2028',
  amount: 1.5e-9,
  flag: false,
  at: '2026-11-20T09:30:00.000Z',
  kind: 'b',
  part: { size: 3 },
  other: { size: 4 },
  list: ['x', null, ''],
}
const empty = {
  text: null,
  amount: null,
  flag: null,
  at: null,
  kind: null,
  part: { size: null },
  other: null,
  list: [null],
}

t.test('declared values and nulls are serialized unchanged, undeclared fields are omitted', async (t) => {
  const app = Fastify(createValidation())
  t.teardown(() => app.close())
  app.addSchema(Part)
  app.get('/full', { schema: { response: { 200: Whole } } }, async () => ({ ...full, secret: 1 }))
  app.get('/empty', { schema: { response: { 200: Whole } } }, async () => ({ ...empty, secret: 1 }))
  t.equal((await app.inject('/full')).body, JSON.stringify(full))
  t.equal((await app.inject('/empty')).body, JSON.stringify(empty))
})
