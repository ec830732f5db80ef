import type { FastifySchema } from 'fastify'
import type { AppError } from '../../errors.ts'
import { describeDuplicateKey, describeFailure } from '../validation/validation.ts'

type Keywords = Record<string, unknown> & {
  anyOf?: Keywords[]
  properties?: Record<string, Keywords>
  required?: string[]
}

/** Keywords that state a bound, in order of preference for an example. */
const bounds = ['enum', 'maximum', 'minimum', 'maxLength', 'maxItems', 'minItems', 'format', 'const']
const comparisons: Record<string, string> = { maximum: '<=', minimum: '>=' }

/** The INVALID_INPUT error of this operation for its first field with a bound. */
export function exemplifyInvalidInput({
  params,
  querystring,
  body,
  consumes,
}: FastifySchema): AppError<'INVALID_INPUT'> {
  for (const [part, schema] of Object.entries({ params, querystring, body })) {
    const { properties = {}, required } = (schema ?? {}) as Keywords
    for (const [name, field] of Object.entries(properties)) {
      // Multipart bodies are streamed without schema validation.
      const isStream = part === 'body' && consumes?.includes('multipart/form-data')
      const broken = isStream ? undefined : breakBound(field, part === 'body')
      if (broken) return describeFailure([{ ...broken, instancePath: `/${name}` }], part)
      if (part === 'body' && required?.includes(name))
        return describeFailure([{ keyword: 'required', params: { missingProperty: name }, instancePath: '' }], part)
    }
  }
  return describeDuplicateKey(['reason'])
}

/** A validation failure that violates a bound; undefined if no request value can violate one. */
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
    // In a query or path every value is a string.
    return typeof type === 'string' && (typed || type !== 'string') ? fail('type', { type }) : undefined
  }
  const value = field[keyword]
  return fail(keyword, {
    ...{ limit: value, comparison: comparisons[keyword] },
    ...{ allowedValues: value, allowedValue: value, format: value },
  })
}
