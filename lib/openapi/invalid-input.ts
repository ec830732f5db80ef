import type { FastifySchema } from 'fastify'
import type { AppError } from '../../errors.ts'
import { describeDuplicateKey, describeFailure } from '../validation/validation.ts'

type Keywords = Record<string, unknown> & {
  anyOf?: Keywords[]
  properties?: Record<string, Keywords>
  required?: string[]
}

/** Keywords whose failure names a bound, in the order in which an example shows them best. */
const bounds = ['enum', 'maximum', 'minimum', 'maxLength', 'maxItems', 'minItems', 'format', 'const']
const comparisons: Record<string, string> = { maximum: '<=', minimum: '>=' }

/** An INVALID_INPUT that the operation really answers: of its first field that has a bound. */
export function exemplifyInvalidInput({
  params,
  querystring,
  body,
  consumes,
}: FastifySchema): AppError<'INVALID_INPUT'> {
  for (const [part, schema] of Object.entries({ params, querystring, body })) {
    const { properties = {}, required } = (schema ?? {}) as Keywords
    for (const [name, field] of Object.entries(properties)) {
      // A multipart body is a stream, read without its schema.
      const isStream = part === 'body' && consumes?.includes('multipart/form-data')
      const broken = isStream ? undefined : breakBound(field, part === 'body')
      if (broken) return describeFailure([{ ...broken, instancePath: `/${name}` }], part)
      if (part === 'body' && required?.includes(name))
        return describeFailure([{ keyword: 'required', params: { missingProperty: name }, instancePath: '' }], part)
    }
  }
  return describeDuplicateKey(['reason'])
}

/** The failure of a value that breaks a bound of its schema; undefined where nothing that can be sent does. */
function breakBound(
  schema: Keywords,
  typed: boolean,
): { keyword: string; params: object; parentSchema: object } | undefined {
  const field = schema.anyOf?.[0] ?? schema
  const fail = (keyword: string, params: object = {}) => ({ keyword, params, parentSchema: field })
  if (typeof field['x-expects'] === 'string' && field.pattern !== undefined) return fail('pattern')
  const keyword = bounds.find((one) => field[one] !== undefined)
  if (keyword === undefined) {
    const { type } = field
    // Text is always a string.
    return typeof type === 'string' && (typed || type !== 'string') ? fail('type', { type }) : undefined
  }
  const value = field[keyword]
  return fail(keyword, {
    ...{ limit: value, comparison: comparisons[keyword] },
    ...{ allowedValues: value, allowedValue: value, format: value },
  })
}
