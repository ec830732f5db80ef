import type { IdentityCall, NodeIdentities } from './node-identity.ts'
import { parseJson, readReply } from './read-reply.ts'

const FIRST_RETRY_MS = 250
const LAST_RETRY_MS = 15_000
const SUBSCRIBE_ID = 1
const IDENTIFY_MS = 10_000

/**
 * Subscribes to newHeads over WebSocket and calls `onHead` for each until the signal aborts. Best effort: connections break and
 * messages are lost, so callers must poll as well. Reconnects by itself and reports no errors. With `identities` it subscribes
 * only to a node of the same chain, and calls `onWrong` for each connection to another one.
 */
export function watchHeads(
  url: string,
  onHead: () => void,
  signal: AbortSignal,
  {
    identities,
    onWrong = () => {},
  }: { identities?: NodeIdentities | undefined; onWrong?: (reason: string) => void } = {},
): void {
  let failures = 0
  const connect = () => {
    if (signal.aborted) return
    const socket = new WebSocket(url)
    const close = () => socket.close()
    signal.addEventListener('abort', close, { once: true })
    socket.addEventListener('open', async () => {
      const problem = await identities?.identify((calls) => askAll(socket, calls)).catch((error: Error) => error)
      if (problem) {
        if (problem.name === 'WrongNodeError') onWrong(problem.message)
        socket.close()
        return
      }
      failures = 0
      socket.send(JSON.stringify({ jsonrpc: '2.0', id: SUBSCRIBE_ID, method: 'eth_subscribe', params: ['newHeads'] }))
      socket.addEventListener('message', onHead)
      // Blocks mined while disconnected.
      onHead()
    })
    // 'close' follows and reconnects.
    socket.addEventListener('error', () => {})
    socket.addEventListener('close', () => {
      signal.removeEventListener('abort', close)
      const delay = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(failures++, 10))
      if (!signal.aborted) setTimeout(connect, delay).unref()
    })
  }
  connect()
}

/** The results of calls over a socket, in order. Rejects if they do not arrive in time, or the socket closes. */
function askAll(socket: WebSocket, calls: readonly IdentityCall[]): Promise<PromiseSettledResult<unknown>[]> {
  const { promise, resolve, reject } = Promise.withResolvers<PromiseSettledResult<unknown>[]>()
  const results = new Map<unknown, PromiseSettledResult<unknown>>()
  const first = SUBSCRIBE_ID + 1
  const receive = ({ data }: MessageEvent) => {
    const answer = Object(parseJson(String(data))) as { id?: unknown }
    const reply = readReply(answer, answer.id)
    if (!reply || typeof answer.id !== 'number') return
    const { error, result } = reply
    results.set(
      answer.id,
      error ? { status: 'rejected', reason: new Error(error.message) } : { status: 'fulfilled', value: result },
    )
    const found = calls.map((_, index) => results.get(first + index))
    if (found.every((one) => one !== undefined)) resolve(found)
  }
  const fail = () => reject(new Error('The node did not answer over its WebSocket'))
  const timer = setTimeout(fail, IDENTIFY_MS)
  socket.addEventListener('message', receive)
  socket.addEventListener('close', fail, { once: true })
  for (const [index, call] of calls.entries())
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: first + index, ...call }))
  return promise.finally(() => {
    clearTimeout(timer)
    socket.removeEventListener('message', receive)
  })
}
