import type { Hex } from 'viem'
import type { PackedLogs } from './log-reader.ts'
import { BUSY_CODES } from './node-failure.ts'
import type { RpcBlock } from './parse-responses.ts'
import type { RequestLogs } from './request-logs.ts'
import { LAGGING_NODE } from './split-range.ts'

/** The logs of one response and the URL of its node; for a range also `end`, the last block's header from the same node. */
export interface NodeLogs extends PackedLogs {
  url: string
  end?: RpcBlock
}

interface Call {
  jsonrpc: '2.0'
  id: number
  method: string
  params: unknown[]
}

type Reply = { id?: unknown; result?: unknown; error?: { code: number; message: string } }

/** Sends one body to the current node. */
type Send = (body: unknown) => ReturnType<RequestLogs>

/** Statuses with which servers reject batch requests. */
const BATCH_REJECTED = [400, 405, 413, 415, 422]
/** How long a server that rejected a batch gets single requests. Another one behind the same URL may take batches. */
const UNBATCHED_MS = 10 * 60_000

/**
 * Fetch functions for viem that parse eth_getLogs responses; viem retries, fails over, and receives a key for `take` as the
 * result. A range is batched with its last block's header and the node's head, so that one node sends all three: a lagging
 * node, which returns fewer logs and no error, is detected. Servers without batch support get single requests.
 */
export class PackedResponses {
  readonly #packed = new Map<string, NodeLogs>()
  readonly #now: () => number
  /** By URL, of a server that has rejected a batch. */
  readonly #unbatchedUntil = new Map<string, number>()
  #last = 0

  /** now: in milliseconds; tests replace it. */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  /** The logs stored under a key. Removes them. */
  take(name: string): NodeLogs {
    const packed = this.#packed.get(name)
    if (!packed) throw new Error('The node answers eth_getLogs with what is no list')
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
      const { toBlock } = (call.params[0] ?? {}) as { toBlock?: Hex }
      if (toBlock === undefined) return this.#respond(await send(call), (body) => this.#store(url, call, body))
      if (this.#isUnbatched(url)) return json(await this.#requestSingly(url, call, toBlock, send))
      const answered = await send([headerCall(call, toBlock), call, headCall(call)])
      if (BATCH_REJECTED.includes(answered.status)) return json(await this.#requestSingly(url, call, toBlock, send))
      return this.#respond(answered, async (body) => {
        const replies = readBatch(body)
        if (!replies || replies.every(({ error }) => error)) {
          const busy = replies?.find(isBusy) ?? readBusy(body)
          // A busy server is not one without batch support, which is asked singly for a while.
          if (busy) return JSON.stringify({ ...busy, id: call.id })
          return JSON.stringify(await this.#requestSingly(url, call, toBlock, send))
        }
        const [header, logs, head] = [headerCall(call, toBlock), call, headCall(call)].map(({ id }) =>
          replies.find((reply) => reply.id === id),
        )
        const failed = [logs, header, head].find((reply) => reply?.error)
        if (failed) return JSON.stringify({ ...failed, id: call.id })
        if (typeof body === 'string') return JSON.stringify({ jsonrpc: '2.0', id: call.id, result: null })
        return JSON.stringify(this.#storeRange(url, call, { body, toBlock, header, head }))
      })
    }
  }

  #isUnbatched(url: string): boolean {
    return (this.#unbatchedUntil.get(url) ?? 0) > this.#now()
  }

  #respond(
    { status, headers, body }: Awaited<ReturnType<RequestLogs>>,
    read: (body: PackedLogs | string) => string | Promise<string>,
  ): Response {
    const text = async function* () {
      yield Buffer.from(await read(await body))
    }
    return new Response(ReadableStream.from(text()), { status, headers })
  }

  #store(url: string, { id }: Call, body: PackedLogs | string, end?: RpcBlock): string {
    if (typeof body === 'string') return body
    const name = `packed ${++this.#last}`
    this.#packed.set(name, { ...body, url, ...(end && { end }) })
    return JSON.stringify({ jsonrpc: '2.0', id, result: name })
  }

  #storeRange(
    url: string,
    call: Call,
    found: { body: PackedLogs; toBlock: Hex; header: Reply | undefined; head: Reply | undefined },
  ): unknown {
    const { rest: _, ...body } = found.body
    const block = found.header?.result as RpcBlock | null | undefined
    const to = Number(found.toBlock)
    const isThere = block != null && Number(block.number) === to && Number(found.head?.result) >= to
    if (isThere) return JSON.parse(this.#store(url, call, body, block))
    const error = { code: LAGGING_NODE, message: `The node that was asked for logs does not have block ${to}` }
    return { jsonrpc: '2.0', id: call.id, error }
  }

  async #requestSingly(url: string, call: Call, toBlock: Hex, send: Send): Promise<unknown> {
    const ask = async (one: Call) => (await send(one)).body
    const askFor = async (one: Call) => {
      const text = await ask(one)
      return (typeof text === 'string' ? JSON.parse(text) : { result: [] }) as Reply
    }
    const header = await askFor(headerCall(call, toBlock))
    if (header.error) return header
    // Not extended by single requests, which say nothing about batches.
    if (!this.#isUnbatched(url)) this.#unbatchedUntil.set(url, this.#now() + UNBATCHED_MS)
    const body = await ask(call)
    if (typeof body === 'string') return JSON.parse(body)
    const head = await askFor(headCall(call))
    return head.error ? head : this.#storeRange(url, call, { body, toBlock, header, head })
  }
}

const headerCall = ({ id }: Call, block: Hex): Call => ({
  jsonrpc: '2.0',
  id: id + 1,
  method: 'eth_getBlockByNumber',
  params: [block, false],
})
const headCall = ({ id }: Call): Call => ({ jsonrpc: '2.0', id: id + 2, method: 'eth_blockNumber', params: [] })

const json = (value: unknown) => Response.json(value)

/** Responses of a batch; undefined for a single response, as from a server without batch support. */
function readBatch(body: PackedLogs | string): Reply[] | undefined {
  const text = typeof body === 'string' ? body : body.rest
  if (text === undefined) return undefined
  const replies: unknown = JSON.parse(text)
  return Array.isArray(replies) ? replies : undefined
}

const isBusy = ({ error }: Reply): boolean => error !== undefined && BUSY_CODES.has(error.code)

/** Of one error for the whole batch: servers that cannot read a batch report it as internal, too. */
const INTERNAL_ERROR = -32_603

/** The error of a busy server that sends one for the whole batch. */
function readBusy(body: PackedLogs | string): Reply | undefined {
  if (typeof body !== 'string') return undefined
  const reply = JSON.parse(body) as Reply | null
  return reply !== null && isBusy(reply) && reply.error?.code !== INTERNAL_ERROR ? reply : undefined
}

/** Concatenates the logs of consecutive ranges, lowest first. */
export function joinLogs(answers: readonly NodeLogs[]): NodeLogs {
  const last = answers.at(-1)
  if (!last) throw new RangeError('A range of no blocks')
  if (answers.length === 1) return last
  const blocks: NodeLogs['blocks'] = []
  let length = 0
  for (const answer of answers) {
    for (const block of answer.blocks) blocks.push({ ...block, start: block.start + length })
    length += answer.bytes.length
  }
  return { ...last, blocks, bytes: Buffer.concat(answers.map(({ bytes }) => bytes)) }
}
