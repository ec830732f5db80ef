import fc from 'fast-check'
import { type Operation, readDocument, type Schema } from '../contract/fuzzer/document.ts'
import { allowedBy } from '../contract/fuzzer/generate.ts'
import { mounts, type Request } from './client.ts'

const document = await readDocument(new URL('../../openapi.yaml', import.meta.url))

/** Every operation that the API's document has. */
export const { operations } = document

/** The fields of an operation's body. */
export const fieldsOf = ({ body }: Operation): string[] =>
  body ? Object.keys(document.resolve(body.schema).properties ?? {}) : []

/** A simple value that a schema allows, equal in every run. */
const pick = (schema: Schema) => fc.sample(allowedBy(schema, document), { seed: 1, numRuns: 1 })[0]

/** A body with only its required fields. */
function pickBody(schema: Schema): object {
  const { required = [] } = document.resolve(schema)
  const body = pick(schema) as object
  return required.length === 0
    ? body
    : Object.fromEntries(Object.entries(body).filter(([key]) => required.includes(key)))
}

/** A request that the document allows, with no more in it than it must have. A body that is not JSON is left out. */
export function makeRequest({ method, path, parameters, body }: Operation, mount = ''): Request {
  const required = parameters.filter((parameter) => parameter.required)
  const textOf = (parameter: (typeof parameters)[number]) => encodeURIComponent(String(pick(parameter.schema)))
  const url = required
    .filter((parameter) => parameter.in === 'path')
    .reduce((text, parameter) => text.replace(`{${parameter.name}}`, textOf(parameter)), path)
  const query = required
    .filter((parameter) => parameter.in === 'query')
    .map((parameter) => `${parameter.name}=${textOf(parameter)}`)
  return {
    method: method as Request['method'],
    url: `${mount}${url}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    ...(body?.type === 'application/json' && { payload: pickBody(body.schema) }),
  }
}

/** Each of these operations at both mounts, with a request that the document allows. */
export const atBothMounts = (some: readonly Operation[]) =>
  some.flatMap((operation) =>
    mounts.map((mount) => {
      const request = makeRequest(operation, mount)
      return { operation, mount, request, name: `${operation.method} ${mount}${operation.path}` }
    }),
  )
