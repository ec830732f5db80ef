import type { FastifyInstance } from 'fastify'
import { createDocumentSchemas } from './document-schemas.ts'

interface Answered {
  method: string
  url: string
  status: number
  body: unknown
}

/** The problem of a response, or null; undefined if the document lacks its operation. */
type Check = (answered: Answered) => string | null | undefined

let firstCheck: Check | undefined

/**
 * Validates responses against the API's own document, with a validator independent of the serializer: the serializer
 * neither checks patterns nor reports missing declarations. Returns the problem, or null. Every app of a process describes
 * an operation alike, and writing a document takes longer than most tests: an app's own is written only for an operation
 * that the first one lacks.
 */
export function createConformityCheck(app: FastifyInstance): (answered: Answered) => string | null {
  let ownCheck: Check | undefined
  return (answered) => {
    firstCheck ??= ownCheck = createCheck(app)
    const problem = firstCheck(answered)
    if (problem !== undefined) return problem
    ownCheck ??= createCheck(app)
    return ownCheck(answered) ?? null
  }
}

function createCheck(app: FastifyInstance): Check {
  const document = app.swagger() as unknown as {
    paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>
  }
  const ajv = createDocumentSchemas(document)
  const paths = Object.keys(document.paths).map((path) => ({
    path,
    pattern: new RegExp(`^(/api)?${path.replace(/\{\w+\}/g, '[^/]+')}$`),
  }))
  const encode = (part: string) =>
    part.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('{', '%7B').replaceAll('}', '%7D')

  return ({ method, url, status, body }) => {
    const bare = url.split('?', 1)[0] as string
    // The exact path first: /tokens/new also looks like /tokens/{address}.
    const path = (
      paths.find(({ path }) => bare.replace(/^\/api/, '') === path) ?? paths.find(({ pattern }) => pattern.test(bare))
    )?.path
    const operation = path && document.paths[path]?.[method.toLowerCase()]
    if (!path || !operation) return undefined
    const response = operation.responses[status]
    if (!response) return `${method} ${path} does not declare ${status}`
    // A reference begins with "#/".
    const place = response.$ref?.split('/').slice(1) ?? [
      'paths',
      path,
      method.toLowerCase(),
      'responses',
      String(status),
    ]
    const pointer = [...place, 'content', 'application/json', 'schema']
    const validate = ajv.getSchema(`document#/${pointer.map(encode).join('/')}`)
    if (!validate) return `${method} ${path} declares no schema for ${status}`
    return validate(body) ? null : ajv.errorsText(validate.errors)
  }
}
