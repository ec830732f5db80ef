import { findDuplicateKey } from '../../lib/json/find-duplicate-key.ts'
import { describeDuplicateKey } from '../../lib/validation/validation.ts'
import { RpcError } from './rpc-error.ts'

// ES2026; available since Node 22, not yet in TypeScript’s library.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}

/**
 * Parses JSON and keeps the digits of numeric ids, also beyond 2^53 (9007199254740993), for the response. Throws RpcError.
 */
export function parseJson(text: string): unknown {
  const parsed = parse(text)
  // Duplicate keys are valid JSON, so this is not a parse error. The id may be ambiguous, so the whole batch is rejected.
  const path = findDuplicateKey(text)
  if (path) throw new RpcError('invalidRequest', describeDuplicateKey(path).message)
  return parsed
}

function parse(text: string): unknown {
  const keepId = (key: string, value: unknown, { source }: { source: string }) =>
    key === 'id' && typeof value === 'number' ? rawJSON(source) : value
  try {
    return JSON.parse(text, keepId as (key: string, value: unknown) => unknown)
  } catch {
    throw new RpcError('parseError', 'The body is not valid JSON')
  }
}

/** The id of a call as JSON text; undefined if there is none. Throws RpcError for an invalid id. */
export function readId(call: object): string | undefined {
  if (!Object.hasOwn(call, 'id')) return undefined
  const { id } = call as { id: unknown }
  if (typeof id === 'string' || id === null || isRawJSON(id)) return JSON.stringify(id)
  throw new RpcError('invalidRequest', 'id must be a string, a number or null')
}
