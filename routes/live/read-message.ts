import { Ajv } from 'ajv'
import { findDuplicateKey } from '../../lib/json/find-duplicate-key.ts'
import { FAST_COMPILATION } from '../../lib/validation/fast-compilation.ts'
import { describeDuplicateKey, describeFailure } from '../../lib/validation/validation.ts'
import { type ClientMessage, clientMessages } from '../../schemas/live.ts'

const ajv = new Ajv({ strict: false, verbose: true, ...FAST_COMPILATION })
// A Map, because the key is client input.
const schemas = new Map<unknown, object>(Object.entries(clientMessages))
const types = [...schemas.keys()].join(', ')

type MessageRead = { message: ClientMessage } | { problem: string; id?: string | number }

/** The validated message, or its problem with the id if it is valid. */
export function readMessage(text: string): MessageRead {
  const given = parse(text)
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    return { problem: given === undefined ? 'message is not valid JSON' : 'message must be an object' }
  const duplicate = findDuplicateKey(text)
  if (duplicate) return { problem: describeDuplicateKey(duplicate, 'message').message }
  const { type, id } = given as { type?: unknown; id?: unknown }
  const known = isId(id) ? { id } : {}
  const schema = schemas.get(type)
  if (!schema) return { problem: `message.type must be one of ${types}`, ...known }
  // Compiled once: Ajv keeps its functions by schema.
  const validate = ajv.compile(schema)
  if (validate(given)) return { message: given as ClientMessage }
  return { problem: describeFailure(validate.errors ?? [], 'message').message, ...known }
}

const isId = (id: unknown): id is string | number =>
  typeof id === 'string' ? id.length <= 64 : Number.isSafeInteger(id) && (id as number) >= 0

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
