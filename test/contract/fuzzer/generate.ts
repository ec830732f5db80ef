import fc, { type Arbitrary } from 'fast-check'
import type { ApiDocument, Schema } from './document.ts'

/** Values that a schema allows. What it cannot express (a lookahead in a pattern) is generated wider, then filtered. */
export function allowedBy(schema: Schema, { resolve }: Pick<ApiDocument, 'resolve'>): Arbitrary<unknown> {
  const of = (inner: Schema): Arbitrary<unknown> => {
    const { enum: values, anyOf, type, ...rest } = resolve(inner)
    if (values) return fc.constantFrom(...values)
    if (anyOf) return fc.oneof(...anyOf.map(of))
    switch (type) {
      case 'null':
        return fc.constant(null)
      case 'boolean':
        return fc.boolean()
      case 'integer':
        return fc.integer({ min: rest.minimum ?? 0, max: Math.max(rest.minimum ?? 0, rest.maximum ?? 2 ** 40) })
      case 'number':
        return fc.double({
          min: rest.exclusiveMinimum ?? rest.minimum ?? -1e9,
          minExcluded: rest.exclusiveMinimum !== undefined,
          max: rest.maximum ?? 1e9,
          noNaN: true,
        })
      case 'string':
        return textOf(rest)
      case 'array':
        return fc.array(of(rest.items ?? {}), {
          minLength: rest.minItems ?? 0,
          maxLength: Math.min(rest.maxItems ?? 5, 5),
        })
      case 'object':
        return objectOf(rest)
      default:
        return fc.jsonValue({ maxDepth: 2 })
    }
  }

  const objectOf = ({ properties = {}, required = [], additionalProperties, minProperties = 0 }: Schema) => {
    const named = fc.record(
      Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, of(property)])),
      { requiredKeys: required, noNullPrototype: true },
    )
    const open = typeof additionalProperties === 'object' ? additionalProperties : null
    const whole = open
      ? fc
          .tuple(
            named,
            fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), of(open), { maxKeys: 3, noNullPrototype: true }),
          )
          .map(([known, more]) => ({ ...more, ...known }))
      : named
    return whole.filter((value) => Object.keys(value).length >= minProperties)
  }
  return of(schema)
}

const LOOKAROUND = /\(\?[=!][^()]*\)/g

/** By the schema that they are of: making one takes longer than generating from it. */
const texts = new Map<string, Arbitrary<string>>()

function textOf({ pattern, format, minLength, maxLength, examples }: Schema): Arbitrary<string> {
  const schema = { pattern, format, minLength, maxLength, examples } as Schema
  const key = JSON.stringify(schema)
  const text = texts.get(key) ?? makeText(schema)
  texts.set(key, text)
  return text
}

function makeText({ pattern, format, minLength = 0, maxLength = 200, examples = [] }: Schema): Arbitrary<string> {
  if (format === 'date-time')
    return fc.date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true }).map((d) => d.toISOString())
  if (format === 'date')
    return fc
      .date({ min: new Date(0), max: new Date(4e12), noInvalidDate: true })
      .map((d) => d.toISOString().slice(0, 10))
  const known = examples.filter((example) => typeof example === 'string')
  const free = pattern
    ? fc.oneof(
        fc.stringMatching(new RegExp(pattern.replaceAll(LOOKAROUND, ''), 'u')),
        // A pattern of what is forbidden allows much that the generator of patterns is shy of.
        ...(pattern.includes('[^')
          ? [fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 300) })]
          : []),
      )
    : fc.string({ unit: 'grapheme', minLength, maxLength: Math.min(maxLength, 300) })
  const exact = pattern ? new RegExp(pattern, 'u') : null
  const generated = free.filter((text) => {
    const length = [...text].length
    return length >= minLength && length <= maxLength && (exact?.test(text) ?? true)
  })
  return known.length > 0 ? fc.oneof(fc.constantFrom(...known), generated) : generated
}

/** Values to put where they do not belong. */
export const misfits: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e21, Number.MAX_SAFE_INTEGER, [], {}, [[]], { a: { b: [] } }],
  ...[
    '',
    ' ',
    '0',
    '-1',
    '1e400',
    'NaN',
    'null',
    '\u0000',
    'a\u0000b',
    '\u202eabc',
    '\ud800',
    'ÿ'.repeat(40),
    'x'.repeat(3000),
  ],
  ...["' or 1=1 --", '../../etc/passwd', '%00', '__proto__', '0x', `0x${'g'.repeat(40)}`, '99999999999999999999'],
]

/** Every way to break one thing of a JSON value: a part replaced, left out, or added. */
export function* breakages(value: unknown): Generator<unknown> {
  for (const misfit of misfits) yield misfit
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) for (const broken of breakages(item)) yield value.with(index, broken)
    yield [...value, ...Array.from({ length: 300 }, () => value[0] ?? 'x')]
  } else if (typeof value === 'object' && value !== null) {
    for (const [key, item] of Object.entries(value)) {
      const { [key]: _, ...others } = value as Record<string, unknown>
      yield others
      for (const broken of breakages(item)) yield { ...value, [key]: broken }
    }
    yield { ...value, unheardOf: 1 }
  }
}
