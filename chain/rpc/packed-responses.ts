import type { Hex } from 'viem'
import type { PackedLogs } from '../logs/log-reader.ts'
import type { LogResponse, RequestLogs } from '../logs/request-logs.ts'
import type { BatchSupport } from './batch-support.ts'
import { lowerHex } from './lower-hex.ts'
import { BUSY_CODES, InvalidResponseError, isBusyStatus, NO_BLOCK_AT_HEIGHT } from './node-failure.ts'
import { parseHeader, type RpcBlock } from './parse-responses.ts'
import { parseJson, type Reply, type RpcError, readError, readReply } from './read-reply.ts'
import { LAGGING_NODE } from './split-range.ts'

/** The logs of a range, the URL of the node that sent them, and the header of its last block, from each answer about that block. */
export interface NodeLogs extends PackedLogs {
  url: string
  ends: RpcBlock[]
}

interface Call {
  jsonrpc: '2.0'
  id: number
  method: string
  params: unknown[]
}

/** Sends one body to the current node. */
type Send = (body: unknown) => Promise<LogResponse>

/** A list of logs, or an error; undefined in a response that has neither. */
type LogReply = { logs: PackedLogs } | { error: RpcError } | undefined

const NO_LIST = 'The node answers eth_getLogs with what is no list of logs'

export const NO_LOGS: PackedLogs = { blocks: [], bytes: Buffer.alloc(0) }

/**
 * Fetch functions for viem that parse eth_getLogs responses; viem retries, fails over, and receives a key for `take` as the
 * result. A request is batched with the header of its last block and the node's head, so that one node sends all three: a lagging
 * node, which returns fewer logs and no error, is detected. Servers without batch support get single requests.
 */
export class PackedResponses {
  readonly #packed = new Map<string, NodeLogs>()
  readonly #batches: BatchSupport
  #last = 0

  constructor(batches: BatchSupport) {
    this.#batches = batches
  }

  /** The logs stored under a key. Removes them. */
  take(name: string): NodeLogs {
    const packed = this.#packed.get(name)
    if (!packed) throw new InvalidResponseError('No logs are stored under this key')
    this.#packed.delete(name)
    return packed
  }

  createFetch(ask: RequestLogs, stallMs: number): typeof fetch {
    return async (input, init) => {
      const { method = 'POST', headers, signal } = init ?? {}
      const url = String(input)
      const call = JSON.parse(String(init?.body)) as Call
      const send: Send = (body) =>
        ask(
          { url, method, headers: headers as Record<string, string>, body: JSON.stringify(body), stallMs },
          signal ?? null,
        )
      const { toBlock } = call.params[0] as { toBlock: Hex }
      if (!this.#batches.accepts(url)) return this.#requestSingly(url, call, toBlock, send)
      const answered = await send([headerCall(call, toBlock), call, headCall(call)])
      if (!isOk(answered.status) && !isBusyStatus(answered.status)) return this.#requestSingly(url, call, toBlock, send)
      return this.#respond(answered, async (body, status) => {
        if (!isOk(status)) return describeFailure(call, body, status)
        const replies = readBatch(body)
        if (!replies || replies.every(({ error }) => readError(error))) {
          const busy = replies?.map(({ error }) => readError(error)).find(isBusy) ?? readBusy(body)
          // Busy does not mean "no batches": only servers without batch support get single requests for a while.
          if (busy) return toError(call, busy)
          return (await this.#requestSingly(url, call, toBlock, send)).text()
        }
        const [header, logs, head] = [headerCall(call, toBlock), call, headCall(call)].map(({ id }) =>
          replies.find((reply) => reply.id === id),
        )
        const failed = [logs, header, head].map((reply) => readError(reply?.error)).find((error) => error)
        if (failed) return toError(call, nameSkipped(failed, toBlock))
        const found = typeof body !== 'string' ? body : logs?.result === null ? NO_LOGS : undefined
        if (!logs || !found) throw new InvalidResponseError(NO_LIST)
        return this.#storeRange(url, call, { body: found, toBlock, header, head })
      })
    }
  }

  #respond(
    { status, headers, body }: LogResponse,
    read: (body: PackedLogs | string, status: number) => Promise<string>,
  ): Response {
    const text = async function* () {
      yield Buffer.from(await read(await body, status))
    }
    return new Response(ReadableStream.from(text()), { status, headers })
  }

  #storeRange(
    url: string,
    call: Call,
    found: {
      body: PackedLogs
      toBlock: Hex
      header: { result?: unknown } | undefined
      head: { result?: unknown } | undefined
    },
  ): string {
    const { rest: _, ...body } = found.body
    if (!found.header || typeof found.head?.result !== 'string')
      throw new InvalidResponseError('The node did not answer what it was asked')
    const to = Number(found.toBlock)
    const block = lowerHex(found.header.result as RpcBlock | null)
    const isThere = block !== null && parseHeader(block)?.number === to && Number(found.head.result) >= to
    if (isThere) {
      const name = `packed ${++this.#last}`
      this.#packed.set(name, { ...body, url, ends: [block] })
      return JSON.stringify({ jsonrpc: '2.0', id: call.id, result: name })
    }
    return toError(call, withoutBlock(to))
  }

  /** Three requests in a row: the last one shows that the node had the range when it answered the one before. */
  async #requestSingly(url: string, call: Call, toBlock: Hex, send: Send): Promise<Response> {
    const ask = async (one: Call): Promise<{ failed: Response } | { reply: Reply }> => {
      const received = await send(one)
      const { status } = received
      const body = await received.body
      const reply = typeof body === 'string' ? readReply(parseJson(body), one.id) : { result: [] }
      if (reply?.error) return { failed: json(toError(call, nameSkipped(reply.error, toBlock))) }
      if (!isOk(status)) return { failed: this.#respond(received, async () => '{}') }
      if (!reply) throw new InvalidResponseError('The node did not answer what it was asked')
      return { reply }
    }
    const header = await ask(headerCall(call, toBlock))
    if ('failed' in header) return header.failed
    this.#batches.recordRejection(url)
    const answered = await send(call)
    const logs = readLogs(call, await answered.body)
    if (!logs || 'error' in logs || !isOk(answered.status))
      return this.#respond(answered, async (body, status) => describeFailure(call, body, status))
    const head = await ask(headCall(call))
    if ('failed' in head) return head.failed
    return json(this.#storeRange(url, call, { body: logs.logs, toBlock, header: header.reply, head: head.reply }))
  }
}

const withoutBlock = (height: number): RpcError => ({
  code: LAGGING_NODE,
  message: `The node that was asked for logs does not have block ${height}`,
})

/** The error for a range that ends at a height without a block is that of a node without the block. */
const nameSkipped = (error: RpcError, toBlock: Hex): RpcError =>
  NO_BLOCK_AT_HEIGHT.test(error.message) ? withoutBlock(Number(toBlock)) : error

/** The body of a response with a status of failure may be anything, but an error in it counts. */
function describeFailure(call: Call, body: PackedLogs | string, status: number): string {
  const reply = readLogs(call, body)
  if (reply && 'error' in reply) return toError(call, reply.error)
  if (!isOk(status)) return '{}'
  throw new InvalidResponseError(NO_LIST)
}

const isOk = (status: number) => status >= 200 && status <= 299

const headerCall = ({ id }: Call, block: Hex): Call => ({
  jsonrpc: '2.0',
  id: id + 1,
  method: 'eth_getBlockByNumber',
  params: [block, false],
})
const headCall = ({ id }: Call): Call => ({ jsonrpc: '2.0', id: id + 2, method: 'eth_blockNumber', params: [] })

const json = (text: string) => new Response(text, { headers: { 'content-type': 'application/json' } })

const toError = ({ id }: Call, error: RpcError): string => JSON.stringify({ jsonrpc: '2.0', id, error })

/** Some nodes answer null for an empty list. */
function readLogs({ id }: Call, body: PackedLogs | string): LogReply {
  if (typeof body !== 'string') return { logs: body }
  const reply = readReply(parseJson(body), id)
  if (reply?.error) return { error: reply.error }
  return reply?.result === null ? { logs: NO_LOGS } : undefined
}

/** Responses of a batch; undefined for a single response, as from a server without batch support. */
function readBatch(body: PackedLogs | string): { id?: unknown; result?: unknown; error?: unknown }[] | undefined {
  const replies: unknown = parseJson((typeof body === 'string' ? body : body.rest) ?? '')
  return Array.isArray(replies) ? replies.map((reply: unknown) => Object(reply) as object) : undefined
}

const isBusy = (error: RpcError | undefined): boolean => error !== undefined && BUSY_CODES.has(error.code)

/** The code of one error for a whole batch: servers that cannot read a batch report it as internal, too. */
const INTERNAL_ERROR = -32_603

/** The error of a busy server that sends one for the whole batch. */
function readBusy(body: PackedLogs | string): RpcError | undefined {
  const error = typeof body === 'string' ? readReply(parseJson(body), undefined)?.error : undefined
  return isBusy(error) && error?.code !== INTERNAL_ERROR ? error : undefined
}

/** Concatenates the logs of consecutive ranges, lowest first. */
export function joinRanges(answers: readonly NodeLogs[]): NodeLogs {
  const last = answers.at(-1)
  if (!last) throw new RangeError('A range of no blocks')
  return answers.length === 1 ? last : { ...last, ...joinLogs(answers) }
}

/** Concatenates the logs of several lists in one range. A block appears once for each. */
export const joinParts = (answers: readonly NodeLogs[]): NodeLogs =>
  answers.length === 1
    ? answers[0]!
    : { url: answers[0]?.url ?? '', ends: answers.flatMap(({ ends }) => ends), ...joinLogs(answers) }

function joinLogs(answers: readonly PackedLogs[]): PackedLogs {
  const blocks: PackedLogs['blocks'] = []
  let length = 0
  for (const answer of answers) {
    for (const block of answer.blocks) blocks.push({ ...block, start: block.start + length })
    length += answer.bytes.length
  }
  return { blocks, bytes: Buffer.concat(answers.map(({ bytes }) => bytes)) }
}
