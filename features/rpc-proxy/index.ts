import { setTimeout as sleep } from 'node:timers/promises'
import fp from 'fastify-plugin'
import { keccak256 } from 'viem'
import { orderByHealth } from '../../chain/rpc/failover.ts'
import type { Nodes } from '../../chain/rpc/nodes.ts'
import { parseJson, readReply } from '../../chain/rpc/read-reply.ts'
import type { Config } from '../../config/config.ts'
import { isAppError } from '../../errors.ts'
import { type CircuitBreaker, createCircuitBreaker } from '../../lib/concurrency/circuit-breaker.ts'
import { createSemaphore } from '../../lib/concurrency/semaphore.ts'
import { createHttpClient, HttpClientError, type HttpResponse } from '../../lib/http/http-client.ts'
import { rpcCodes, rpcLimits } from '../../schemas/rpc.ts'

/** The member of a JSON-RPC response, and its value as JSON text. */
export interface RpcResult {
  member: 'result' | 'error'
  json: string
}

export interface RpcUpstreams {
  /**
   * Forwards a call to nodes in the order of RPC_URL, failing ones last, until one responds; else resolves to an error
   * that names no node. Never rejects. Identical concurrent calls are coalesced, except SEND_TRANSACTION. endsAt: see
   * startBudget.
   */
  call(method: string, params: readonly unknown[], endsAt?: number): Promise<RpcResult>
  /** Deadline of calls that start now, by performance.now(). The calls of one request share it. */
  startBudget(): number
}

declare module 'fastify' {
  interface FastifyInstance {
    rpcUpstreams: RpcUpstreams
  }
}

export const SEND_TRANSACTION = 'eth_sendRawTransaction'

/** Methods whose results have megabytes: a few at a time are buffered and parsed in this process. */
const LARGE: ReadonlySet<string> = new Set(['eth_getLogs', 'eth_getBlockReceipts'])
const LARGE_AT_ONCE = 2
const LARGE_QUEUE = 32

/** Id of requests to nodes. A coalesced call serves several callers, so their ids are not forwarded. */
const ID = 1
const FAILURES_TO_OPEN = 3
const COOLDOWN_MS = 5_000

const toErrorResult = (code: number, message: string): RpcResult => ({
  member: 'error',
  json: JSON.stringify({ code, message }),
})

/** Decorates the app with `rpcUpstreams`: the nodes behind the RPC proxy, shared by all mounts. `nodes` checks their chain. */
export default fp<{ config: Pick<Config, 'rpcUrls' | 'rpcProxy'>; nodes?: Nodes }>(
  async (app, { config: { rpcUrls, rpcProxy }, nodes }) => {
    const http = createHttpClient({ maxSockets: 256 })
    const upstreams = rpcUrls.map((url, index): Upstream => {
      const onOpen = () => app.log.warn({ upstream: index }, 'A node fails; others are asked first for now')
      return {
        index,
        url: new URL(url),
        breaker: createCircuitBreaker({ failureThreshold: FAILURES_TO_OPEN, cooldownMs: COOLDOWN_MS, onOpen }),
      }
    })

    app.metrics.gauges(
      'rpc_circuits_open',
      '1 for each node of the RPC proxy whose requests are paused after failures',
      'upstream',
      () => Object.fromEntries(upstreams.map(({ breaker }, index) => [index, breaker.state() === 'closed' ? 0 : 1])),
    )

    const secrets = rpcUrls.flatMap(secretsOf)

    const requestUpstream = async (
      { url, breaker, index }: Upstream,
      body: string,
      timeoutMs: number,
    ): Promise<UpstreamResponse> => {
      const isOurs = await isVerified(nodes?.verify(index), timeoutMs)
      if (!isOurs) {
        breaker.recordFailure()
        return { reply: undefined, timedOut: false, maybeDelivered: false }
      }
      try {
        const headers = { 'content-type': 'application/json' }
        const limits = { timeoutMs, maxBytes: rpcLimits.responseBytes }
        const answer = await http.request({ url, method: 'POST', headers, body, ...limits })
        const reply = parseReply(answer)
        if (reply) breaker.recordSuccess()
        else breaker.recordFailure(readRetryMs(answer))
        return { reply, timedOut: false, maybeDelivered: answer.retried || reply === undefined }
      } catch (error) {
        if (!(error instanceof HttpClientError)) throw error
        if (error.kind === 'too-large') {
          breaker.recordSuccess()
          return {
            reply: toErrorResult(rpcCodes.limitExceeded, 'The answer is too large'),
            timedOut: false,
            maybeDelivered: false,
          }
        }
        breaker.recordFailure()
        nodes?.identities?.requireCheck(index)
        return { reply: undefined, timedOut: error.kind === 'timeout', maybeDelivered: error.delivered }
      }
    }

    const requestAndCount = async (
      upstream: Upstream,
      method: string,
      body: string,
      timeoutMs: number,
    ): Promise<UpstreamResponse> => {
      const start = performance.now()
      const asked = await requestUpstream(upstream, body, timeoutMs)
      const outcome = !asked.reply ? 'failed' : asked.reply.member === 'error' ? 'refused' : 'ok'
      app.metrics.countRpc('proxy', method, outcome, (performance.now() - start) / 1000)
      return asked
    }

    const startBudget = () => performance.now() + rpcProxy.timeoutMs

    const forward = async (method: string, params: readonly unknown[], endsAt: number): Promise<RpcResult> => {
      const body = JSON.stringify({ jsonrpc: '2.0', id: ID, method, params })
      let doubtful = false
      let late = upstreams.length > 0
      let untried = upstreams.length
      const order = orderByHealth(upstreams.map(({ breaker }) => breaker))
      for (let leftMs = endsAt - performance.now(); leftMs > 0; leftMs = endsAt - performance.now()) {
        const { value: at, done } = order.next()
        if (done) break
        // An equal share of the remaining time, so that a node that hangs leaves time for the next.
        const asked = await requestAndCount(upstreams[at] as Upstream, method, body, leftMs / untried--)
        doubtful ||= asked.maybeDelivered
        late = asked.timedOut
        if (!asked.reply) continue
        const resent = doubtful && method === SEND_TRANSACTION
        return hideSecrets(resent ? acceptKnownTransaction(asked.reply, params) : asked.reply, secrets)
      }
      return toErrorResult(rpcCodes.internal, late ? 'The node did not answer in time' : 'No node answered')
    }

    const large = createSemaphore({
      concurrency: LARGE_AT_ONCE,
      queueSize: LARGE_QUEUE,
      queueTimeoutMs: rpcProxy.timeoutMs,
    })
    const forwardInTurn: typeof forward = (method, params, endsAt) => {
      if (!LARGE.has(method)) return forward(method, params, endsAt)
      return large(() => forward(method, params, endsAt)).catch((error: unknown) => {
        if (isAppError(error, 'OVERLOADED')) return toErrorResult(rpcCodes.limitExceeded, 'Too many large reads; retry')
        throw error
      })
    }

    const inFlight = new Map<string, Promise<RpcResult>>()
    app.decorate('rpcUpstreams', {
      startBudget,
      call: (method, params, endsAt = startBudget()) => {
        if (method === SEND_TRANSACTION) return forward(method, params, endsAt)
        const key = `${method} ${JSON.stringify(params)}`
        const running = inFlight.get(key) ?? forwardInTurn(method, params, endsAt).finally(() => inFlight.delete(key))
        inFlight.set(key, running)
        return running
      },
    })
    app.addHook('onClose', async () => http.close())
  },
  { name: 'rpc-upstreams', dependencies: ['metrics'] },
)

/** Whether a check of a node succeeds in time. */
async function isVerified(checking: Promise<void> | undefined, timeoutMs: number): Promise<boolean> {
  if (checking === undefined) return true
  const late = new AbortController()
  const timeout = sleep(timeoutMs, false, { signal: late.signal, ref: false }).catch(() => false)
  const verified = checking.then(
    () => true,
    () => false,
  )
  return Promise.race([verified, timeout]).finally(() => late.abort())
}

interface Upstream {
  /** In RPC_URL. */
  index: number
  url: URL
  breaker: CircuitBreaker
}

interface UpstreamResponse {
  /** undefined if the node sent no valid response. */
  reply: RpcResult | undefined
  timedOut: boolean
  /** Whether the node may have executed a call whose response was lost. */
  maybeDelivered: boolean
}

/** undefined for an invalid response: another status, an HTML page, or another id, or an error that is a text. */
function parseReply({ status, body }: HttpResponse): RpcResult | undefined {
  // Some nodes send JSON-RPC errors with status 400.
  if (status !== 200 && status !== 400) return undefined
  const answer = parseJson(body)
  const reply = readReply(answer, ID)
  // A text comes from a proxy before the node: another node may know the call.
  if (!reply || typeof (answer as { error?: unknown }).error === 'string') return undefined
  const { error, result } = reply
  if (error) return { member: 'error', json: JSON.stringify(error) }
  return { member: 'result', json: cutResult(body, answer as object) ?? JSON.stringify(result) }
}

const RESULT_HEAD = `{"jsonrpc":"2.0","id":${ID},"result":`

/** The text of the result, which takes less time than to serialize it; undefined unless the response ends with it. */
function cutResult(body: string, answer: object): string | undefined {
  const isLast = Object.keys(answer).length === 3 && body.startsWith(RESULT_HEAD)
  return isLast ? body.slice(RESULT_HEAD.length, body.lastIndexOf('}')) : undefined
}

/** Milliseconds that a rate-limiting node (429) asks clients to wait; undefined for other responses. */
function readRetryMs({ status, headers }: HttpResponse): number | undefined {
  if (status !== 429) return undefined
  const seconds = Number(headers['retry-after'])
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), 60) * 1000 : COOLDOWN_MS
}

const ALREADY_KNOWN = /already known|already imported|already in (the )?mempool|known transaction|already exists/i

/**
 * A transaction that is resent after a lost response fails as already known. The node has accepted it, so the result is
 * its hash.
 */
function acceptKnownTransaction(reply: RpcResult, [raw]: readonly unknown[]): RpcResult {
  if (reply.member === 'result' || !ALREADY_KNOWN.test(reply.json)) return reply
  return { member: 'result', json: JSON.stringify(keccak256(raw as `0x${string}`)) }
}

/** Parts of a node's URL that callers must not see: providers put API keys into it. */
function secretsOf(text: string): string[] {
  const { host, pathname, search, username, password } = new URL(text)
  return [host, ...[pathname, search, username, password].filter((part) => part.length > 8)]
}

/** A node or a proxy before it may repeat its URL in an error message. */
function hideSecrets(reply: RpcResult, secrets: readonly string[]): RpcResult {
  if (reply.member === 'result' || !secrets.some((secret) => reply.json.includes(secret))) return reply
  const { code } = JSON.parse(reply.json) as { code: number }
  return toErrorResult(code, 'The node refused the call')
}
