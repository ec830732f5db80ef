import { readFile } from 'node:fs/promises'
import { Ajv2020, type ErrorObject } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { parse } from 'yaml'

/** The subset of JSON Schema that the document speaks. */
export interface Schema {
  $ref?: string
  type?: string
  enum?: unknown[]
  anyOf?: Schema[]
  pattern?: string
  format?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: boolean | Schema
  minProperties?: number
  examples?: unknown[]
}

/** Whether a value is valid. `errors` says what is wrong with the last one. The schema is compiled by the first call. */
export interface Validate {
  (value: unknown): boolean
  errors?: ErrorObject[] | null | undefined
}

export interface Parameter {
  name: string
  in: 'path' | 'query'
  required: boolean
  schema: Schema
  validate: Validate
}

export interface Operation {
  id: string
  method: string
  path: string
  tag: string
  parameters: Parameter[]
  body: { type: string; schema: Schema; validate: Validate } | null
  security: 'none' | 'optional' | 'required'
  responses: Map<number, Answer>
}

/** What an operation may answer with one status. */
export interface Answer {
  /** Content type to the validator of that body; null for a body that is not JSON. */
  contents: Map<string, Validate | null>
  headers: { name: string; required: boolean; isInteger: boolean; validate: Validate }[]
  /** The reasons that it has examples of. */
  reasons: string[]
}

export interface ApiDocument {
  operations: Operation[]
  /** Prefixes under which all of it is served, as in '' and '/api'. */
  mounts: string[]
  resolve(schema: Schema): Schema
  /** Methods that some operation has at this concrete path, which must be without the prefix. */
  methodsAt(path: string): Set<string>
}

interface RawOperation {
  operationId: string
  tags: string[]
  parameters?: Omit<Parameter, 'validate'>[]
  requestBody?: { content: Record<string, { schema: Schema }> }
  security?: Record<string, string[]>[]
  responses: Record<string, RawResponse>
}

/** A response, or a reference to a component. */
type RawResponse = { $ref?: string; content?: Record<string, { examples?: object }>; headers?: Record<string, Header> }

/** A header, or a reference to a component. */
type Header = { $ref?: string; required?: boolean; schema?: Schema }

interface RawDocument {
  components: { headers: Record<string, Header>; responses: Record<string, RawResponse> }
  servers: { url: string }[]
  paths: Record<string, Record<string, RawOperation>>
}

const encode = (part: string | number) =>
  String(part)
    .replaceAll('~', '~0')
    .replaceAll('/', '~1')
    .replaceAll(/[^\w~.-]/g, encodeURIComponent)

/** Reads the OpenAPI document at a path. What it says is all that is known of the service. */
export async function readDocument(path: string | URL): Promise<ApiDocument> {
  const raw: RawDocument = parse(await readFile(path, 'utf8'))
  const ajv = new Ajv2020({ strict: false, code: { optimize: false } })
  // CJS interop: the types know the namespace, the runtime the function.
  ;(addFormats as unknown as (ajv: Ajv2020) => void)(ajv)
  ajv.addSchema(raw, 'document')
  const validatorAt = (...pointer: (string | number)[]): Validate => {
    const validate: Validate = (value) => {
      const compiled = ajv.getSchema(`document#/${pointer.map(encode).join('/')}`)
      if (!compiled) throw new Error(`The document has no schema at ${pointer.join(' / ')}`)
      const isValid = compiled(value) as boolean
      validate.errors = compiled.errors
      return isValid
    }
    return validate
  }
  const findComponent = <Kind extends 'headers' | 'responses'>(kind: Kind, name: string) => {
    const found = raw.components[kind][name]
    if (!found) throw new Error(`The document has no component ${kind}/${name}`)
    return found as NonNullable<RawDocument['components'][Kind][string]>
  }
  const readHeader = (name: string, { $ref, ...own }: Header, pointer: string[]) => {
    const component = $ref?.split('/').at(-1)
    const { required, schema } = component ? findComponent('headers', component) : own
    return {
      name,
      required: required === true,
      isInteger: schema?.type === 'integer',
      validate: validatorAt(...(component ? ['components', 'headers', component] : pointer), 'schema'),
    }
  }
  const readAnswer = ({ $ref, ...own }: RawResponse, place: string[]): Answer => {
    const component = $ref?.split('/').at(-1)
    const { content = {}, headers = {} } = component ? findComponent('responses', component) : own
    const pointer = component ? ['components', 'responses', component] : place
    return {
      reasons: Object.values(content).flatMap(({ examples = {} }) => Object.keys(examples)),
      contents: new Map(
        Object.keys(content).map((type) => [
          type,
          type === 'application/json' ? validatorAt(...pointer, 'content', type, 'schema') : null,
        ]),
      ),
      headers: Object.entries(headers).map(([name, header]) => readHeader(name, header, [...pointer, 'headers', name])),
    }
  }
  const operations = Object.entries(raw.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) =>
      readOperation(operation, { path, method, readAnswer, validatorAt }),
    ),
  )
  const patterns = operations.map(({ path, method }) => ({ pattern: toPattern(path), method: method.toLowerCase() }))
  return {
    operations,
    mounts: raw.servers.map(({ url }) => url.replace(/\/$/, '')),
    resolve: (schema) => {
      const name = schema.$ref?.split('/').slice(1)
      return name ? (name.reduce<unknown>((at, key) => (at as Record<string, unknown>)[key], raw) as Schema) : schema
    },
    methodsAt: (path) => new Set(patterns.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method)),
  }
}

const toPattern = (path: string) => new RegExp(`^${path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/]+')}$`)

interface Reading {
  path: string
  method: string
  readAnswer(response: RawResponse, place: string[]): Answer
  validatorAt(...pointer: (string | number)[]): Validate
}

/** Whether an operation takes a bearer token. */
function readSecurity(schemes: Record<string, string[]>[]): Operation['security'] {
  if (!schemes.some((scheme) => 'bearer' in scheme)) return 'none'
  return schemes.every((scheme) => 'bearer' in scheme) ? 'required' : 'optional'
}

function readOperation(operation: RawOperation, { path, method, readAnswer, validatorAt }: Reading): Operation {
  const place = ['paths', path, method]
  const { security = [] } = operation
  const [body] = Object.entries(operation.requestBody?.content ?? {})
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    tag: operation.tags[0] ?? '',
    parameters: (operation.parameters ?? []).map((parameter, index) => ({
      ...parameter,
      validate: validatorAt(...place, 'parameters', index, 'schema'),
    })),
    body: body
      ? {
          type: body[0],
          schema: body[1].schema,
          validate: validatorAt(...place, 'requestBody', 'content', body[0], 'schema'),
        }
      : null,
    security: readSecurity(security),
    responses: new Map(
      Object.entries(operation.responses).map(([status, response]) => [
        Number(status),
        readAnswer(response, [...place, 'responses', status]),
      ]),
    ),
  }
}
