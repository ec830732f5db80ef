/** A JSON-RPC error in the form of the specification. */
export interface RpcError {
  code: number
  message: string
  data?: unknown
}

/** A JSON-RPC response. `result` is undefined if it has none, or an error beside it. */
export interface Reply {
  id?: unknown
  result?: unknown
  error?: RpcError
}

/** Code of an error without one, as of a server that rejects a request for any reason. */
const UNSPECIFIED = -32_000
/** Code of an error without one whose text is about the rate of requests. */
const BUSY = 429
export const ofRate = /too many requests|rate.?limit|per (second|minute)|throttl|quota|credits|capacity|slow down/i

/**
 * The error of a response, if it has one. Proxies and small clients send a text, a text as the code, or no code or message: each
 * is an error all the same.
 */
export function readError(error: unknown): RpcError | undefined {
  if (error === undefined || error === null) return undefined
  const { code, message, data } = (typeof error === 'object' ? error : { message: error }) as Record<string, unknown>
  const words = typeof message === 'string' ? message : JSON.stringify(message ?? error)
  const given = typeof code === 'string' && /^-?\d+$/.test(code) ? Number(code) : code
  const known = typeof given === 'number' ? given : ofRate.test(words) ? BUSY : UNSPECIFIED
  return { code: known, message: words, ...(data !== undefined && { data }) }
}

/** The response to the call with this id; undefined if it is none. An error may have any id, as one about a whole batch has. */
export function readReply(answer: unknown, id: unknown): Reply | undefined {
  const { id: given, result, error } = Object(answer) as Record<string, unknown>
  const refusal = readError(error)
  if (refusal) return { id, error: refusal }
  return given === id && result !== undefined ? { id, result } : undefined
}

/** The JSON value of a text; undefined if it is none. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
