import type { BatchSupport } from './batch-support.ts'
import { BUSY_CODES, InvalidResponseError, isBusyStatus, NO_VALID_RESPONSE, REFUSED_BY_STATUS } from './node-failure.ts'
import { parseJson, type Reply, readReply } from './read-reply.ts'

/** viem's default limit. */
const MAX_BYTES = 10 * 1024 * 1024
const INTERNAL_ERROR = -32_603

interface Options {
  /** For the whole response: viem's own timeout ends at the response headers. */
  timeoutMs: number
  maxBytes?: number
  batches: BatchSupport
}

interface Call {
  id: unknown
  method: string
}

/** What a server sent for a body. */
interface Exchange {
  status: number
  headers: Headers
  text: string
  /** Undefined if the text is no JSON. */
  answer: unknown
}

/**
 * A fetch for viem that validates JSON-RPC responses, and passes on errors of any shape in the form that viem reads: viem orders
 * batch responses by id without checking the ids, and treats a single error for a whole batch as no response. The calls of a
 * batch that a server rejects as a whole are sent one by one.
 */
export function createRpcFetch({ timeoutMs, maxBytes = MAX_BYTES, batches }: Options): typeof fetch {
  return async (input, init) => {
    const url = String(input)
    const limit = AbortSignal.timeout(timeoutMs)
    const signal = init?.signal ? AbortSignal.any([init.signal, limit]) : limit
    const exchange = async (body: unknown): Promise<Exchange> => {
      const response = await fetch(url, { ...init, body: JSON.stringify(body), signal })
      const text = await readText(response, maxBytes)
      const headers = new Headers({ 'content-type': 'application/json' })
      const retryAfter = response.headers.get('retry-after')
      if (retryAfter !== null) headers.set('retry-after', retryAfter)
      return { status: response.status, headers, text, answer: parseJson(text) }
    }
    const asked = JSON.parse(String(init?.body)) as Call | Call[]
    if (!Array.isArray(asked)) {
      const received = await exchange(asked)
      return respond(received, readOne(received, asked), received.text)
    }
    const [only, ...others] = asked
    if (only && others.length === 0) {
      const received = await exchange(only)
      const reply = readOne(received, only)
      return respond(received, reply && [reply], `[${received.text}]`)
    }
    if (!batches.accepts(url)) return respond(OK, await askSingly(asked, exchange))
    const received = await exchange(asked)
    const replies = readAll(received, asked)
    if (replies) return respond(received, replies, received.text)
    const singly = isBusy(received) ? undefined : await askSinglyIfAnswered(asked, exchange)
    if (singly === undefined) return respond(received, repeatError(received, asked))
    if (singly.every(({ error }) => error?.code !== REFUSED_BY_STATUS)) batches.recordRejection(url)
    return respond(OK, singly)
  }
}

const isOk = (status: number) => status >= 200 && status <= 299

const OK: Exchange = {
  status: 200,
  headers: new Headers({ 'content-type': 'application/json' }),
  text: '',
  answer: null,
}

/** Without a JSON-RPC response the HTTP status is the only error information. `text`: of the replies, if none is an error. */
function respond({ status, headers }: Exchange, replies: Reply | Reply[] | undefined, text?: string): Response {
  // viem reads no error in a batch with a status of failure.
  const isRead = replies !== undefined && !(Array.isArray(replies) && isBusyStatus(status))
  if (!isRead && !isOk(status)) return new Response('{}', { status, headers })
  if (replies === undefined) throw new InvalidResponseError('The node did not answer what it was asked')
  const isText = text !== undefined && [replies].flat().every(({ error }) => error === undefined)
  return new Response(isText ? text : JSON.stringify(replies), { status: 200, headers })
}

/** The response to a single call. With a status of failure, only an error counts. */
function readOne({ status, answer }: Exchange, { id }: Call): Reply | undefined {
  const reply = readReply(answer, id)
  return reply?.error || isOk(status) ? reply : undefined
}

/** The responses to a batch; undefined unless there is one for each call. */
function readAll({ status, answer }: Exchange, asked: readonly Call[]): Reply[] | undefined {
  if (!Array.isArray(answer) || answer.length !== asked.length || !isOk(status)) return undefined
  const byId = new Map(answer.map((one: unknown) => [(Object(one) as Reply).id, one]))
  const replies = asked.map(({ id }) => readReply(byId.get(id), id))
  return replies.every((reply) => reply !== undefined) ? replies : undefined
}

/** Copies a single error response for each call of the batch. */
const repeatError = ({ answer }: Exchange, asked: readonly Call[]): Reply[] | undefined =>
  readReply(answer, undefined)?.error && asked.map(({ id }) => readReply(answer, id)!)

/** Whether single requests would fail as the batch did. A server that cannot read a batch may call that an internal error. */
function isBusy({ status, answer }: Exchange): boolean {
  const code = readReply(answer, undefined)?.error?.code
  return code === undefined ? isBusyStatus(status) : BUSY_CODES.has(code) && code !== INTERNAL_ERROR
}

type Send = (body: unknown) => Promise<Exchange>

/** Undefined if the server answers no call alone either. Asks for one call of each method first. */
async function askSinglyIfAnswered(asked: readonly Call[], send: Send): Promise<Reply[] | undefined> {
  const first = [...new Map(asked.toReversed().map((call) => [call.method, call])).values()].reverse()
  const known = new Map<unknown, Reply>()
  let isAnswered = false
  for (const call of first) {
    const reply = await askOne(call, send)
    known.set(call.id, reply)
    isAnswered ||= reply.error === undefined || !FAILED_CODES.has(reply.error.code)
    if (isAnswered) break
  }
  return isAnswered ? askSingly(asked, send, known) : undefined
}

const FAILED_CODES: ReadonlySet<number> = new Set([...BUSY_CODES, REFUSED_BY_STATUS])

const askSingly = (asked: readonly Call[], send: Send, known = new Map<unknown, Reply>()): Promise<Reply[]> =>
  Promise.all(asked.map((call) => known.get(call.id) ?? askOne(call, send)))

/** A failure is an error of this call alone. */
async function askOne(call: Call, send: Send): Promise<Reply> {
  const fail = (code: number, message: string): Reply => ({ id: call.id, error: { code, message } })
  try {
    const received = await send(call)
    const { status } = received
    const reply = readOne(received, call)
    if (reply) return reply
    if (isOk(status)) return fail(NO_VALID_RESPONSE, 'an invalid response')
    return fail(isBusyStatus(status) ? NO_VALID_RESPONSE : REFUSED_BY_STATUS, `HTTP ${status}`)
  } catch {
    return fail(NO_VALID_RESPONSE, 'no response')
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
