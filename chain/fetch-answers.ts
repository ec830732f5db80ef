import { NodeAnswerError } from './node-failure.ts'

/** What viem itself takes at most. */
const MAX_BYTES = 10 * 1024 * 1024

interface Bounds {
  /** For all of it: viem's own limit ends when an answer begins. */
  timeoutMs: number
  maxBytes?: number
}

/**
 * A fetch for viem that passes on JSON-RPC answers to the requests that were sent, and nothing else: viem takes the answers
 * of a batch in the order of their ids, whatever these are, and an error for all of it for no answer at all.
 */
export function fetchAnswers({ timeoutMs, maxBytes = MAX_BYTES }: Bounds): typeof fetch {
  return async (url, init) => {
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = init?.signal ? AbortSignal.any([init.signal, limit]) : limit
    const response = await fetch(url, { ...init, signal })
    const text = await readText(response, maxBytes)
    const headers = new Headers({ 'content-type': 'application/json' })
    const retryAfter = response.headers.get('retry-after')
    if (retryAfter !== null) headers.set('retry-after', retryAfter)
    const answer = parse(text)
    // Without an answer in it the status alone says what is wrong.
    if (!response.ok && !hasError(answer)) return new Response(null, { status: response.status, headers })
    const asked = JSON.parse(String(init?.body)) as Asked | Asked[]
    const body = Array.isArray(asked) && hasError(answer) ? JSON.stringify(repeat(answer, asked)) : text
    if (body === text && !isAnswered(asked, answer))
      throw new NodeAnswerError('The node did not answer what it was asked')
    return new Response(body, { status: response.status, headers })
  }
}

interface Asked {
  id: unknown
}

interface Answer {
  id?: unknown
  result?: unknown
  error?: unknown
}

/** One error for a batch is one for each of its calls. */
const repeat = (answer: Answer, asked: readonly Asked[]): Answer[] => asked.map(({ id }) => ({ ...answer, id }))

function isAnswered(asked: Asked | readonly Asked[], answer: unknown): boolean {
  if (!Array.isArray(asked)) return hasError(answer) || hasResult(answer, (asked as Asked).id)
  if (!Array.isArray(answer) || answer.length !== asked.length) return false
  const byId = new Map(answer.map((one: unknown) => [(Object(one) as Answer).id, one]))
  return asked.every(({ id }) => hasError(byId.get(id)) || hasResult(byId.get(id), id))
}

function hasResult(answer: unknown, id: unknown): boolean {
  const { id: given, result, error } = Object(answer) as Answer
  return given === id && result !== undefined && (error === undefined || error === null)
}

function hasError(answer: unknown): answer is Answer & { error: { code: number; message: string } } {
  const { error } = Object(answer) as Answer
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
    if (size > maxBytes) throw new NodeAnswerError('The node answered with too much')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}
