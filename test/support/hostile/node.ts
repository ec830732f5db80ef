import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Test } from 'tap'

export interface RpcCall {
  method: string
  params: unknown[]
}

/** An error may have any shape; an id replaces that of the call, and undefined removes it. */
export type RpcAnswer = ({ result: unknown } | { error: unknown }) & { id?: unknown }

/** An HTTP response in place of one to the whole request, as of a proxy in front of the node. */
export interface RawAnswer {
  status: number
  /** A function makes it from the right body. */
  body: string | Buffer | ((right: string) => string)
  headers?: Record<string, string>
}

/** Responds to a call instead of the node, or returns undefined to pass it to the next rule and finally to the node. */
export type Rule = (
  call: RpcCall,
  ask: (call: RpcCall) => Promise<RpcAnswer>,
  /** All calls of the HTTP request: behind a load balancer these, and only these, are sure to meet one node. */
  together: readonly RpcCall[],
) => RpcAnswer | RawAnswer | undefined | Promise<RpcAnswer | RawAnswer | undefined>

/**
 * wrong      another block's header, a log of one block left out or changed, a receipt without its logs, an error instead of a call's result
 * empty      null or [], as from a node that does not have the block
 * late       the right answer after lateMs
 * truncated  half of the right answer, then the connection closes
 * limited    HTTP 429, or a JSON-RPC error -32005 with status 200
 * broken     HTTP 502 with a page of HTML
 */
export const faults = ['wrong', 'empty', 'late', 'truncated', 'limited', 'broken'] as const
export type Fault = (typeof faults)[number]

export interface Disturbance {
  /** Part of all HTTP answers that is disturbed, 0 to 1. */
  share: number
  /** Numbers of [0, 1): seed it, and the same requests meet the same faults. */
  random: () => number
  /** Those to choose from; all unless given. */
  faults?: readonly Fault[]
  lateMs?: number
}

export interface HostileNode {
  url: string
  /** From now on these rules are asked in order; without any the node answers. */
  follow(...rules: Rule[]): void
  /** From now on answers are disturbed at random; null ends it. */
  disturb(disturbance: Disturbance | null): void
  /** Calls so far, by method. */
  calls: Map<string, number>
  /** Faults so far. */
  faults: Map<Fault, number>
  close(): Promise<void>
}

export const result = (value: unknown): RpcAnswer => ({ result: value })
export const failure = (code: unknown, message: string): RpcAnswer => ({ error: { code, message } })
export const raw = (status: number, body: RawAnswer['body'], headers?: Record<string, string>): RawAnswer => ({
  status,
  body,
  ...(headers && { headers }),
})
/** A rule for one method. */
export const on =
  (method: string, rule: Rule): Rule =>
  (call, ask, together) =>
    call.method === method ? rule(call, ask, together) : undefined

/** A node that lies, lags and limits: a real HTTP server between a client and a real node. Ends with the test, if given. */
export async function startHostileNode(t: Pick<Test, 'teardown'> | null, target: string): Promise<HostileNode> {
  let rules: readonly Rule[] = []
  let disturbance: Disturbance | null = null
  const calls = new Map<string, number>()
  const met = new Map<Fault, number>()
  const ask = (call: RpcCall): Promise<RpcAnswer> => askNode(target, call)
  const answerCall = async (
    call: RpcCall,
    together: readonly RpcCall[],
    fault?: Fault,
  ): Promise<RpcAnswer | RawAnswer> => {
    calls.set(call.method, (calls.get(call.method) ?? 0) + 1)
    for (const rule of rules) {
      const answer = await rule(call, ask, together)
      if (answer) return answer
    }
    if (fault === 'empty') return answerEmpty(call)
    if (fault === 'limited') return failure(-32005, 'Request limit exceeded')
    const honest = await ask(call)
    return fault === 'wrong' ? distort(call, honest, ask, disturbance?.random ?? Math.random) : honest
  }
  const server = createServer(async (request, response) => {
    try {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk as Buffer)
      const asked = JSON.parse(Buffer.concat(chunks).toString()) as (RpcCall & { id: unknown }) | RpcCall[]
      const fault = chooseFault(disturbance)
      if (fault) met.set(fault, (met.get(fault) ?? 0) + 1)
      if (fault === 'broken') return send(response, '<html>Bad gateway</html>', 502)
      if (fault === 'limited' && disturbance && disturbance.random() < 0.5) return send(response, 'Slow down', 429)
      const answer = async (call: RpcCall & { id?: unknown }) => {
        const { id, method, params = [] } = call
        return { jsonrpc: '2.0', id, ...(await answerCall({ method, params }, [asked].flat(), fault)) }
      }
      const answers = await Promise.all([asked].flat().map(answer))
      const raw = answers.find((one) => 'status' in one)
      if (raw) {
        const right = async (call: RpcCall & { id?: unknown }) => ({
          jsonrpc: '2.0',
          id: call.id,
          ...(await ask(call)),
        })
        const { status, headers = {}, body } = raw
        const text = async (make: (right: string) => string) =>
          make(JSON.stringify(Array.isArray(asked) ? await Promise.all(asked.map(right)) : await right(asked)))
        return response.writeHead(status, headers).end(typeof body === 'function' ? await text(body) : body)
      }
      const body = JSON.stringify(Array.isArray(asked) ? answers : answers[0])
      if (fault === 'late') await sleep(disturbance?.lateMs ?? 500)
      if (fault === 'truncated') return truncate(response, body)
      send(response, body)
    } catch {
      // The node behind is down or restarting: so is this one.
      response.destroy()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    const closed = new Promise((resolve) => server.close(resolve))
    server.closeAllConnections()
    await closed
  }
  t?.teardown(close)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    follow: (...next) => {
      rules = next
    },
    disturb: (next) => {
      disturbance = next
    },
    calls,
    faults: met,
    close,
  }
}

async function askNode(target: string, { method, params }: RpcCall): Promise<RpcAnswer> {
  const response = await fetch(target, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  const { result, error } = (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
  return error ? { error } : { result }
}

function chooseFault(disturbance: Disturbance | null): Fault | undefined {
  if (!disturbance || disturbance.random() >= disturbance.share) return undefined
  const choice = disturbance.faults ?? faults
  return choice[Math.floor(disturbance.random() * choice.length)]
}

function send(response: ServerResponse, body: string, status = 200): void {
  response.writeHead(status, { 'content-type': status === 200 ? 'application/json' : 'text/html' }).end(body)
}

function truncate(response: ServerResponse, body: string): void {
  const bytes = Buffer.from(body)
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.write(bytes.subarray(0, Math.floor(bytes.length / 2)), () => response.destroy())
}

/** Response of a node without the block or the transaction. */
function answerEmpty({ method }: RpcCall): RpcAnswer {
  if (method === 'eth_getLogs') return result([])
  if (method.startsWith('eth_getBlock') || method.startsWith('eth_getTransaction')) return result(null)
  return failure(-32000, 'header not found')
}

/** The correct response with a wrong value in a valid format. */
async function distort(
  { method, params }: RpcCall,
  honest: RpcAnswer,
  ask: (call: RpcCall) => Promise<RpcAnswer>,
  random: () => number,
): Promise<RpcAnswer> {
  if ('error' in honest || honest.result === null) return honest
  if (method === 'eth_getLogs') {
    // Single wrong logs of a range of blocks are found by the audit alone: see "Verifying a node's answers" in docs/indexer.md.
    const { blockHash } = params[0] as { blockHash?: string }
    return blockHash ? result(distortLogs(honest.result as { data: string }[], random)) : honest
  }
  if (method === 'eth_getBlockReceipts') {
    const receipts = honest.result as { logs: { data: string }[] }[]
    return result(receipts.map((receipt) => ({ ...receipt, logs: distortLogs(receipt.logs, random) })))
  }
  if (method === 'eth_getTransactionReceipt') {
    const receipt = honest.result as { logs: { data: string }[] }
    return result({ ...receipt, logs: distortLogs(receipt.logs, random) })
  }
  if (method.startsWith('eth_getBlockBy')) {
    const { number } = honest.result as { number: string }
    const other = Math.max(0, Number(number) - 1 - Math.floor(random() * 3))
    return ask({ method: 'eth_getBlockByNumber', params: [`0x${other.toString(16)}`, params[1] ?? false] })
  }
  return method === 'eth_call' ? failure(-32603, 'Internal error') : honest
}

/** One left out, or one of other data. */
function distortLogs<L extends { data: string }>(logs: readonly L[], random: () => number): L[] {
  const chosen = Math.floor(random() * logs.length)
  if (random() < 0.5) return logs.filter((_, index) => index !== chosen)
  return logs.map((log, index) =>
    index === chosen ? { ...log, data: log.data.replace(/.$/, (digit) => (digit === '1' ? '2' : '1')) } : log,
  )
}
