import type { FastifyContextConfig, FastifySchema, RouteOptions } from 'fastify'
import { AppError, type ErrorCode, REASON_HEADER, type Reason } from '../../errors.ts'
import { ErrorEnvelope } from '../../schemas/common.ts'
import { type Declared, groupByStatus, meanings, REASONS, reasonOf } from './failures.ts'
import { exemplifyInvalidInput } from './invalid-input.ts'

/** Error format of an operation that does not use the error envelope. */
export interface FailureFormat {
  /** Name of its schema component. */
  component: string
  toBody: (error: AppError) => object
  /** Reasons with their own HTTP status. The protocol reports all others with status 200. */
  reasons?: readonly string[]
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Error format, if not the envelope. */
    failureFormat?: FailureFormat
    /** false: a database outage does not fail this operation, or not with a distinct reason. */
    needsDatabase?: false
  }
}

const envelope: FailureFormat = {
  component: ErrorEnvelope.$id as string,
  toBody: ({ message }) => ({ success: false, data: null, error: message }),
}

interface Failure {
  /** Names of reasons. Absent: any reason, on a status that successes share. */
  reasons?: string[]
  /** Example by reason. */
  examples?: Record<string, object>
}

/** Keyword that carries failures while the document is built. */
const FAILURES = 'x-failures'

/** Reasons that follow from the method, the input and the security of an operation. */
function commonReasons(schema: FastifySchema, method: string, config: FastifyContextConfig): Declared[] {
  const { params, querystring, body, consumes, security } = schema
  const isTokenRequired =
    security !== undefined && security.length > 0 && security.every((scheme) => 'bearer' in scheme)
  const isWrite = method !== 'GET'
  const type = consumes?.[0] ?? 'application/json'
  return [
    ...(params || querystring || body || isWrite ? (['INVALID_INPUT'] as const) : []),
    'MALFORMED_REQUEST',
    ...(isTokenRequired ? (['JWT_MISSING', 'JWT_INVALID', 'CACHE_UNAVAILABLE'] as const) : []),
    // Body errors occur even if the operation ignores its body.
    ...(isWrite ? bodyReasons : []),
    ...(isWrite && type === 'application/json' ? (['MALFORMED_JSON'] as const) : []),
    ...(isWrite ? [{ reason: 'UNSUPPORTED_MEDIA_TYPE', data: { wants: type } } as const] : []),
    config.rateLimitExempt ? { reason: 'RATE_LIMITED', data: { bucket: 'connections' } } : 'RATE_LIMITED',
    'INTERNAL',
    // A read needs space for its temporary files.
    ...(config.needsDatabase === false ? [] : (['DATABASE_UNAVAILABLE', 'DATABASE_FULL'] as const)),
    ...(config.needsDatabase === false || !isWrite ? [] : (['DATABASE_READ_ONLY'] as const)),
    'OVERLOADED',
  ]
}

const bodyReasons = [
  'MALFORMED_BODY',
  'REQUEST_TIMEOUT',
  'BODY_TOO_LARGE',
  'UNSUPPORTED_ENCODING',
  'EXPECTATION_FAILED',
] as const satisfies ErrorCode[]

/** Returns a copy of the schema with the common reasons and examples. The original is shared by both mounts. */
export function describeFailures(
  schema: FastifySchema,
  { method, config = {} }: Pick<RouteOptions, 'method' | 'config'>,
): FastifySchema {
  const responses = (schema.response ?? {}) as Record<string, { [REASONS]?: readonly Declared[] }>
  const declared = Object.values(responses).flatMap((response) => response[REASONS] ?? [])
  const format = config.failureFormat ?? envelope
  const all = [...declared, ...commonReasons(schema, String(method), config)].filter(
    (one) => format.reasons?.includes(reasonOf(one).name) ?? true,
  )
  const response: Record<string, unknown> = Object.fromEntries(
    Object.entries(responses).filter(([, { [REASONS]: reasons }]) => reasons === undefined),
  )
  const described: Record<string, Failure> = format.reasons ? { 200: {} } : {}
  for (const [status, reasons] of groupByStatus(all)) {
    response[status] = { $ref: format.component, description: meanings[status] }
    described[status] = {
      reasons: reasons.map((one) => reasonOf(one).name),
      examples: Object.fromEntries(reasons.map((one) => [reasonOf(one).name, exampleOf(one, schema, format)])),
    }
  }
  return { ...schema, response, [FAILURES]: described } as FastifySchema
}

/** Example of a failure; a reference if it is the same for all operations. */
function exampleOf(declared: Declared, schema: FastifySchema, format: FailureFormat): object {
  const reason = reasonOf(declared)
  const data = typeof declared === 'object' && 'data' in declared ? declared.data : undefined
  const isInput = reason.name === 'INVALID_INPUT'
  if (!data && !isInput && format === envelope) return { $ref: `#/components/examples/${reason.name}` }
  const error = isInput && !data ? exemplifyInvalidInput(schema) : makeError(reason, data)
  return { value: format.toBody(error) }
}

const makeError = (reason: Reason, data = reason.example): AppError =>
  new AppError(reason, data as Record<never, never>)

interface Response {
  description?: string
  headers?: object
  content?: Record<string, { examples?: object }>
}

interface Operation {
  responses?: Record<string, Response>
  [FAILURES]?: Record<string, Failure>
}

interface Document {
  components?: { schemas?: object }
  paths?: object
}

/** Moves reasons and examples into the document's responses. `known`: every reason of the service, by name. */
export function placeFailures<T extends Document>(document: T, known: Readonly<Record<string, Reason>>): T {
  const shared = new Set<string>()
  const paths = (document.paths ?? {}) as Record<string, Record<string, Operation>>
  for (const operation of Object.values(paths).flatMap(Object.values<Operation>)) {
    for (const [status, { reasons, examples = {} }] of Object.entries(operation[FAILURES] ?? {})) {
      const response = operation.responses?.[status] as Response
      response.headers = { ...response.headers, [REASON_HEADER]: reasons ? describeHeader(reasons) : anyReason }
      if (reasons) for (const media of Object.values(response.content ?? {})) media.examples = examples
      for (const [reason, example] of Object.entries(examples)) if ('$ref' in example) shared.add(reason)
    }
    delete operation[FAILURES]
  }
  const examples = [...shared].sort().map((reason) => {
    const definition = known[reason]
    if (!definition) throw new Error(`An operation declares ${reason}, but no domain lists it in its reasons`)
    return [reason, { value: envelope.toBody(makeError(definition)) }]
  })
  const ErrorReason = {
    type: 'string',
    enum: Object.keys(known).sort(),
    description: 'Every reason of a failure, as the header x-error-reason carries it.',
  }
  const { components } = document
  return {
    ...document,
    components: {
      ...components,
      schemas: { ...components?.schemas, ErrorReason },
      examples: Object.fromEntries(examples),
    },
  }
}

const describeHeader = (reasons: readonly string[]) => ({
  description: 'Why, for programs.',
  required: true,
  schema: { type: 'string', enum: reasons },
})

const anyReason = {
  description: 'Why, for programs: where the request was refused before its calls were read.',
  schema: { $ref: '#/components/schemas/ErrorReason' },
}
