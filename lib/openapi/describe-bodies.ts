import { ErrorEnvelope, meanings } from '../../schemas/common.ts'

interface Operation {
  operationId?: string
  responses?: Record<string, object>
}

/** Where what is wrong with a body is said in a protocol of others. */
const OWN_PROTOCOL: ReadonlySet<string> = new Set(['callNode'])

const STATUSES = [400, 413, 415, 417]

/** Declares of every write how its body is refused, whether or not the operation reads one. */
export function describeBodies<T extends { paths?: object }>(document: T): T {
  for (const methods of Object.values((document.paths ?? {}) as Record<string, Record<string, Operation>>))
    for (const [method, { operationId = '', responses = {} }] of Object.entries(methods)) {
      if (method === 'get' || OWN_PROTOCOL.has(operationId)) continue
      for (const status of STATUSES)
        responses[status] ??= {
          description: meanings[status],
          content: { 'application/json': { schema: { $ref: `#/components/schemas/${ErrorEnvelope.$id}` } } },
        }
    }
  return document
}
