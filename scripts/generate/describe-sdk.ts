import openapiTypescript, { astToString, type OpenAPI3 } from 'openapi-typescript'
import ts from 'typescript'

interface Media {
  schema?: { properties?: Record<string, unknown> }
}
export interface ApiOperation {
  operationId: string
  summary: string
  description?: string
  parameters?: { in: string; name: string; required?: boolean; schema?: { enum?: string[] } }[]
  requestBody?: { required?: boolean; content: Record<string, Media> }
  security?: Record<string, unknown>[]
  responses: Record<string, ApiResponse>
}
interface ApiResponse {
  $ref?: string
  description: string
  content?: Record<string, Media>
  headers?: Record<string, { schema?: { enum?: string[] } }>
}
export interface OpenApi {
  paths: Record<string, Record<string, ApiOperation>>
  components: { schemas: Record<string, unknown>; responses: Record<string, ApiResponse> }
}
export interface AsyncApi {
  operations: Record<string, { title?: string; summary: string; messages: { $ref: string }[] }>
  components: {
    messages: Record<string, { summary: string; payload: { properties: { data?: { $ref: string } } } }>
    schemas: Record<string, unknown>
  }
}

/** Types of sdk/src/values.ts by the pattern of the string. */
const VALUE_TYPES: Record<string, string> = {
  '^0x[0-9a-fA-F]{40}$': 'Address',
  '^0x[0-9a-fA-F]{64}$': 'Hash',
  '^0x[0-9a-fA-F]*$': 'Hex',
  '^[0-9]{1,78}$': 'Amount',
  '^[1-9][0-9]{0,77}$': 'Amount',
  '^-?[0-9]{1,78}$': 'SignedAmount',
  '^[0-9]+(\\.[0-9]+)?$': 'Decimal',
  '^[0-9]+(\\.[0-9]{1,50})?$': 'Decimal',
}

export const GENERATED = (from: string) =>
  `// Generated from ${from} by scripts/generate/sdk.ts. Do not edit: npm run generate:sdk`

/** The types of every record and of every operation's parameters, body and successful responses. */
export async function writeSchema(openapi: OpenApi, asyncapi: AsyncApi): Promise<string> {
  const paths = mapValues(openapi.paths, (item) =>
    mapValues(item, (operation) => ({
      ...operation,
      // Failures are thrown as SlipwayError; their types would be nine tenths of the file.
      responses: Object.fromEntries(
        successes(operation).map(([status, { description, content }]) => [
          status,
          { description, ...(content && { content: mapValues(content, ({ schema }) => ({ schema })) }) },
        ]),
      ),
    })),
  )
  const schemas = { ...asyncapi.components.schemas, ...openapi.components.schemas }
  const document = { ...openapi, paths, components: { schemas } } as unknown as OpenAPI3
  const nodes = await openapiTypescript(document, {
    silent: true,
    transform: (schema) => {
      const name = schema.format === 'binary' ? 'Blob' : VALUE_TYPES[(schema as { pattern?: string }).pattern ?? '']
      return name === undefined ? undefined : ts.factory.createTypeReferenceNode(name)
    },
  })
  const values = [...new Set(Object.values(VALUE_TYPES))].sort()
  return [
    GENERATED('openapi.yaml and asyncapi.yaml'),
    `import type { ${values.join(', ')} } from './values.ts'\n`,
    astToString(nodes),
  ].join('\n')
}

/** One function per operation, so that bundlers drop unused ones. */
export function writeOperations({ paths }: OpenApi): string {
  const functions = listOperations(paths).map(({ method, path, operation }) => ({
    id: operation.operationId,
    text: writeOperation(method, path, operation),
  }))
  functions.sort((a, b) => (a.id < b.id ? -1 : 1))
  return [
    GENERATED('openapi.yaml'),
    "import { defineOperation, type Operation } from './operation.ts'",
    "import type { Data, Options, RawData } from './types.ts'",
    '',
    functions.map(({ text }) => text).join('\n\n'),
    '',
  ].join('\n')
}

export const listOperations = (paths: OpenApi['paths']) =>
  Object.entries(paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

function writeOperation(method: string, path: string, operation: ApiOperation): string {
  const { operationId: id, parameters = [], requestBody, security = [] } = operation
  const isRequired = parameters.some(({ in: place, required }) => place === 'path' || required) || requestBody?.required
  const answer = readAnswer(operation)
  const properties = [
    method,
    security.some((scheme) => 'bearer' in scheme) && 'auth',
    requestBody && 'multipart/form-data' in requestBody.content && 'form',
    isSlow(operation) && 'slow',
    answer.kind,
    fieldsOf(operation),
  ].filter(Boolean)
  return [
    `/** ${headingOf(method, path, operation)} */`,
    `export const ${id}: Operation<`,
    `  [options${isRequired ? '' : '?'}: Options<'${id}'>],`,
    `  ${answer.type}`,
    `> = /* @__PURE__ */ defineOperation('${path}', '${properties.join(' ')}')`,
  ].join('\n')
}

export const headingOf = (method: string, path: string, { summary }: ApiOperation): string =>
  `${summary.replace(/\.$/, '')}: ${method} ${path}`

/** Where the fields of the flat form go: an operation has either query parameters or a body. */
export function fieldsOf({ operationId, parameters = [], requestBody }: ApiOperation): 'query' | 'body' | undefined {
  const hasQuery = parameters.some((parameter) => parameter.in === 'query')
  if (hasQuery && requestBody)
    throw new Error(`${operationId} has query parameters and a body; the flat form of the SDK takes one of them`)
  return hasQuery ? 'query' : requestBody && 'body'
}

/** How to parse the successful response, and its type. */
export function readAnswer(operation: ApiOperation): { kind?: 'json' | 'blob' | 'text'; type: string } {
  const contents = successes(operation).map(([, { content = {} }]) => content)
  const types = contents.flatMap((content) => Object.keys(content))
  // A response without content (204) is undefined.
  const orNothing = contents.some((content) => Object.keys(content).length === 0) ? ' | undefined' : ''
  if (types.length === 0) return { kind: 'text', type: 'undefined' }
  if (types.every((type) => type.startsWith('text/'))) return { kind: 'text', type: `string${orNothing}` }
  if (!types.every((type) => type === 'application/json')) return { kind: 'blob', type: `Blob${orNothing}` }
  const isEnvelope = contents.every(({ 'application/json': media }) => {
    const properties = media?.schema?.properties ?? {}
    return 'success' in properties && 'data' in properties
  })
  const id = operation.operationId
  return isEnvelope ? { type: `Data<'${id}'>${orNothing}` } : { kind: 'json', type: `RawData<'${id}'>${orNothing}` }
}

/** Uploads, and receipt syncs, which wait for the node. */
const isSlow = ({ requestBody, responses }: ApiOperation): boolean =>
  '425' in responses || 'multipart/form-data' in (requestBody?.content ?? {})

const successes = ({ responses }: ApiOperation) =>
  Object.entries(responses).filter(([status]) => status.startsWith('2'))

/** The data of each live event, and the events of each channel. */
export function writeRooms({ operations, components }: AsyncApi): string {
  const events = Object.entries(components.messages).flatMap(([type, { summary, payload }]) => {
    const { data } = payload.properties
    return data ? [`  /** ${summary} */`, `  '${type}': Schema<'${data.$ref.split('/').at(-1)}'>`] : []
  })
  const rooms = Object.values(operations).flatMap(({ title, summary, messages }) => {
    const [, room] = /^Room (\S+)$/.exec(title ?? '') ?? []
    if (!room) return []
    const heard = messages.map(({ $ref }) => `'${$ref.split('/').at(-1)}'`)
    const [kind, parameter] = room.split(':')
    return [`  /** ${summary} */`, `  ${parameter ? `[room: \`${kind}:\${string}\`]` : kind}: ${heard.join(' | ')}`]
  })
  return [
    GENERATED('asyncapi.yaml'),
    "import type { Schema } from './types.ts'",
    '',
    '/** What each event carries. */',
    'export interface EventData {',
    ...events,
    '}',
    'export type EventType = keyof EventData',
    '',
    '/** Which events each room has. */',
    'export interface RoomEvents {',
    ...rooms,
    '}',
    'export type Room = keyof RoomEvents',
    '',
  ].join('\n')
}

const mapValues = <In, Out>(record: Record<string, In>, map: (value: In) => Out): Record<string, Out> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value)]))
