import { REASON_HEADER } from '../../errors.ts'
import { NONE } from '../rate-limit/describe.ts'

interface Response {
  headers?: Record<string, { schema?: { enum?: readonly string[] } }>
}

interface Operation {
  responses?: Record<string, Response | { $ref: string }>
  'x-rate-limit-bucket'?: string
}

interface Document {
  components?: { responses?: object }
  paths?: object
}

/**
 * Moves failures that several operations share to components/responses: repeated in each, they were half of the document.
 * A name joins the reasons, such as `JWT_MISSING.JWT_INVALID`. If failures with equal reasons differ, only the most frequent
 * one is moved.
 */
export function shareResponses<T extends Document>(document: T): T {
  const operations = Object.values((document.paths ?? {}) as Record<string, Record<string, Operation>>).flatMap(
    (item) => Object.values(item),
  )
  const uses = new Map<string, Map<string, { response: Response; owners: [Operation, string][] }>>()
  for (const operation of operations) {
    for (const [status, response] of Object.entries(operation.responses ?? {})) {
      const name = nameOf(operation, response)
      if (name === undefined) continue
      const variants = uses.get(name) ?? new Map()
      const text = JSON.stringify(response)
      const variant = variants.get(text) ?? { response, owners: [] }
      variant.owners.push([operation, status])
      uses.set(name, variants.set(text, variant))
    }
  }
  const shared: Record<string, Response> = {}
  for (const [name, variants] of [...uses].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const [{ response, owners }] = [...variants.values()].sort((a, b) => b.owners.length - a.owners.length) as [
      { response: Response; owners: [Operation, string][] },
    ]
    if (owners.length < 2) continue
    shared[name] = response
    for (const [operation, status] of owners) operation.responses![status] = { $ref: `#/components/responses/${name}` }
  }
  const { components } = document
  return { ...document, components: { ...components, responses: { ...components?.responses, ...shared } } }
}

/** The reasons of a failure, and the bucket whose quota it is. Undefined for other responses. */
function nameOf(operation: Operation, response: Response | { $ref: string }): string | undefined {
  const reasons = 'headers' in response ? response.headers?.[REASON_HEADER]?.schema?.enum : undefined
  if (!reasons) return undefined
  const bucket = operation['x-rate-limit-bucket']
  const isOfBucket = bucket !== undefined && bucket !== NONE && reasons.includes('RATE_LIMITED')
  return [...reasons, ...(isOfBucket ? [bucket] : [])].join('.')
}
