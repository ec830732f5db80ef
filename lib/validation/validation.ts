import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import addFormats from 'ajv-formats'
import type { FastifySchemaCompiler, FastifyServerOptions } from 'fastify'
import { AppError } from '../../errors.ts'
import { FAST_COMPILATION } from './fast-compilation.ts'
import { findQueryFailure } from './find-query-failure.ts'
import { type Failure, selectFailure } from './select-failure.ts'
import { type Component, type Components, createSerializerFactory } from './serialization.ts'

const parts: Record<string, string> = { querystring: 'query', params: 'path' }

/**
 * Query, path and headers are text, so their values are coerced. Bodies are typed JSON and are neither coerced nor stripped:
 * null must not become 0, nor a misspelt field pass as absent.
 */
function createAjv(coerce: boolean): Ajv {
  // verbose passes the failing schema to describeFailure. allErrors stays off: it would make invalid requests expensive.
  const ajv = new Ajv({ coerceTypes: coerce, useDefaults: true, strict: false, verbose: true, ...FAST_COMPILATION })
  // CJS interop: the types declare a namespace, the runtime exports the function.
  ;(addFormats as unknown as (ajv: Ajv) => void)(ajv)
  ajv.addKeyword({
    keyword: 'x-lowercase',
    type: 'string',
    schemaType: 'boolean',
    modifying: true,
    validate: (
      _schema: boolean,
      data: string,
      _parent: unknown,
      at?: { parentData: object; parentDataProperty: string | number },
    ) => {
      if (at) Reflect.set(at.parentData, at.parentDataProperty, data.toLowerCase())
      return true
    },
  })
  return ajv
}

/** The components of one application. Its plugins add none, so they share the store; Fastify's own copies it for each. */
function createSchemaStore() {
  const schemas: Components = {}
  const store = {
    add: (schema: Component) => {
      if (schemas[schema.$id]) throw new Error(`There are two schemas with the $id ${schema.$id}`)
      schemas[schema.$id] = schema
    },
    getSchema: (id: string) => schemas[id],
    getSchemas: () => schemas,
  }
  return () => store
}

/**
 * Fastify's validator factory with both Ajv instances. Validators compile on first use: compiling all would take half of
 * the start-up time.
 */
function createValidatorFactory(): (components: Components) => FastifySchemaCompiler<object> {
  let compile: FastifySchemaCompiler<object> | undefined
  return (components) => {
    compile ??= createValidatorCompiler(components)
    return compile
  }
}

function createValidatorCompiler(components: Components): FastifySchemaCompiler<object> {
  const [typed, textual] = [createAjv(false), createAjv(true)]
  for (const ajv of [typed, textual]) for (const schema of Object.values(components)) ajv.addSchema(schema)
  return ({ schema, httpPart }) =>
    httpPart === 'body'
      ? compileLater(typed, schema)
      : compileLater(textual, schema, httpPart === 'querystring' ? findQueryFailure : undefined)
}

function compileLater(ajv: Ajv, schema: object, findFailure?: typeof findQueryFailure) {
  let validate: ValidateFunction | undefined
  // Fastify reads errors from the function, as with Ajv.
  const compileAndValidate = (data: unknown): boolean => {
    validate ??= ajv.compile(schema)
    const failure = findFailure?.(schema, data as object)
    const isValid = failure === undefined && validate(data)
    compileAndValidate.errors = failure ? [failure] : (validate.errors ?? null)
    return isValid
  }
  compileAndValidate.errors = null as ErrorObject[] | null
  return compileAndValidate
}

/** Describes a problem so that the client can fix the field. */
function describeProblem({ keyword, params, parentSchema }: Failure): string {
  const expects = parentSchema?.['x-expects']
  switch (keyword) {
    case 'minimum':
    case 'exclusiveMinimum':
    case 'maximum':
    case 'exclusiveMaximum':
      return `must be ${params.comparison} ${params.limit}`
    case 'enum':
      // '' allows a parameter without a value: it is not listed.
      return `must be one of ${(params.allowedValues as unknown[]).filter((value) => value !== '').join(', ')}`
    case 'const':
      return `must be ${JSON.stringify(params.allowedValue)}`
    case 'type':
      return `must be ${/^[aio]/.test(String(params.type)) ? 'an' : 'a'} ${[params.type].flat().join(' or ')}`
    case 'minLength':
    case 'maxLength':
      return `must have at ${keyword === 'minLength' ? 'least' : 'most'} ${count(params.limit, 'character')}`
    case 'minItems':
    case 'maxItems':
      return `must have at ${keyword === 'minItems' ? 'least' : 'most'} ${count(params.limit, 'item')}`
    case 'minProperties':
      return `must have at least ${count(params.limit, 'field')}`
    case 'format':
      return `must be a valid ${params.format}`
    default:
      return typeof expects === 'string' ? expects : 'is not valid'
  }
}

const count = (number: number, noun: string) => `${number} ${noun}${number === 1 ? '' : 's'}`

/** Converts the first failure into an error that names the field, such as `query.limit must be <= 100`. */
export function describeFailure(failures: readonly Failure[], part: string): AppError<'INVALID_INPUT'> {
  const failure = selectFailure(failures)
  const base = [parts[part] ?? part, ...failure.instancePath.split('/').slice(1)].join('.')
  if (failure.keyword === 'required')
    return new AppError('INVALID_INPUT', { field: `${base}.${failure.params.missingProperty}`, problem: 'is required' })
  if (failure.keyword === 'additionalProperties') {
    const { additionalProperty, meant } = failure.params
    const problem = meant === undefined ? 'is not a known field' : `is not a known parameter; use ${meant}`
    return new AppError('INVALID_INPUT', { field: `${base}.${printable(additionalProperty)}`, problem })
  }
  // Fastify reads a parameter that is given twice as a list.
  if (part === 'querystring' && Array.isArray(failure.data))
    return describeDuplicateKey([base.slice('query.'.length)], 'query')
  return new AppError('INVALID_INPUT', { field: base, problem: describeProblem(failure) })
}

/** Number of trailing path keys shown in a message. */
const SHOWN_KEYS = 6

/** The error for a duplicate key in a body. */
export function describeDuplicateKey(path: readonly (string | number)[], part = 'body'): AppError<'INVALID_INPUT'> {
  const shown = path.length > SHOWN_KEYS ? ['...', ...path.slice(-SHOWN_KEYS)] : path
  return new AppError('INVALID_INPUT', {
    field: [part, ...shown.map(printable)].join('.'),
    problem: 'must not be given twice',
  })
}

/** Sanitises and truncates a key supplied by the client. */
const printable = (name: unknown) =>
  String(name)
    .replace(/[^\x20-\x7e]/g, '?')
    .slice(0, 64)

type SchemaController = NonNullable<FastifyServerOptions['schemaController']>
type Factories = NonNullable<SchemaController['compilersFactory']>
type ValidatorFactory = NonNullable<Factories['buildValidator']>

/** Server options that install these validators and serializers. */
export const createValidation = () =>
  ({
    schemaController: {
      bucket: createSchemaStore() as unknown as NonNullable<SchemaController['bucket']>,
      compilersFactory: {
        buildValidator: createValidatorFactory() as unknown as ValidatorFactory,
        buildSerializer: createSerializerFactory(),
      },
    },
    schemaErrorFormatter: describeFailure as unknown as NonNullable<FastifyServerOptions['schemaErrorFormatter']>,
  }) satisfies Pick<FastifyServerOptions, 'schemaController' | 'schemaErrorFormatter'>
