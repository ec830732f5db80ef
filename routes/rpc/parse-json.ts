import { findDuplicateKey } from '../../lib/json/find-duplicate-key.ts'
import { describeDuplicateKey } from '../../lib/validation/validation.ts'
import { RpcError } from './rpc-error.ts'

// Of ES2026; in Node since 22, and not in TypeScript's library yet.
const { rawJSON, isRawJSON } = JSON as unknown as {
  rawJSON(text: string): object
  isRawJSON(value: unknown): boolean
}

/**
 * JSON, with numeric ids kept as they were written: 9007199254740993 is an id of some client, and no number here. Where it
 * is turned into text again it comes out the same.
 */
export function parseJson(text: string): unknown {
  const parsed = parse(text)
  // Valid JSON, so that it is no parse error; which of two ids to answer with cannot be told, and so of a batch all is refused.
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

/** The text of a call's id; undefined if there is none; throws if it is no id. */
export function readId(call: object): string | undefined {
  if (!Object.hasOwn(call, 'id')) return undefined
  const { id } = call as { id: unknown }
  if (typeof id === 'string' || id === null || isRawJSON(id)) return JSON.stringify(id)
  throw new RpcError('invalidRequest', 'id must be a string, a number or null')
}
