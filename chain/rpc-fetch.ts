import { InvalidResponseError } from './node-failure.ts'

/** viem's default limit. */
const MAX_BYTES = 10 * 1024 * 1024

interface Bounds {
  /** For the whole response: viem's own timeout ends at the response headers. */
  timeoutMs: number
  maxBytes?: number
}

/**
 * A fetch for viem that validates JSON-RPC responses: viem orders batch responses by id without checking the ids, and treats a
 * single error for a whole batch as no response.
 */
export function createRpcFetch({ timeoutMs, maxBytes = MAX_BYTES }: Bounds): typeof fetch {
  return async (url, init) => {
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = init?.signal ? AbortSignal.any([init.signal, limit]) : limit
    const response = await fetch(url, { ...init, signal })
    const text = await readText(response, maxBytes)
    const headers = new Headers({ 'content-type': 'application/json' })
    const retryAfter = response.headers.get('retry-after')
    if (retryAfter !== null) headers.set('retry-after', retryAfter)
    const answer = parse(text)
    // Without a JSON-RPC error the HTTP status is the only error information.
    if (!response.ok && !hasError(answer)) return new Response(null, { status: response.status, headers })
    const asked = JSON.parse(String(init?.body)) as RpcRequest | RpcRequest[]
    const body = Array.isArray(asked) && hasError(answer) ? JSON.stringify(repeatError(answer, asked)) : text
    if (body === text && !answersAll(asked, answer))
      throw new InvalidResponseError('The node did not answer what it was asked')
    return new Response(body, { status: response.status, headers })
  }
}

interface RpcRequest {
  id: unknown
}

interface RpcResponse {
  id?: unknown
  result?: unknown
  error?: unknown
}

/** Copies a single error response for each call of the batch. */
const repeatError = (answer: RpcResponse, asked: readonly RpcRequest[]): RpcResponse[] =>
  asked.map(({ id }) => ({ ...answer, id }))

function answersAll(asked: RpcRequest | readonly RpcRequest[], answer: unknown): boolean {
  if (!Array.isArray(asked)) return hasError(answer) || hasResult(answer, (asked as RpcRequest).id)
  if (!Array.isArray(answer) || answer.length !== asked.length) return false
  const byId = new Map(answer.map((one: unknown) => [(Object(one) as RpcResponse).id, one]))
  return asked.every(({ id }) => hasError(byId.get(id)) || hasResult(byId.get(id), id))
}

function hasResult(answer: unknown, id: unknown): boolean {
  const { id: given, result, error } = Object(answer) as RpcResponse
  return given === id && result !== undefined && (error === undefined || error === null)
}

function hasError(answer: unknown): answer is RpcResponse & { error: { code: number; message: string } } {
  const { error } = Object(answer) as RpcResponse
  const { code, message } = Object(error) as { code?: unknown; message?: unknown }
  return typeof code === 'number' && typeof message === 'string'
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

async function readText(response: Response, maxBytes: number): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.byteLength
    if (size > maxBytes) throw new InvalidResponseError('The node answered with too much')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
