// JSON-RPC to the development node. A kept-alive connection of node:http answers in a third of the time that fetch takes,
// which counts when a history of hundreds of blocks is built before the service is up.
import { Agent, request } from 'node:http'

export type RpcCall = readonly [method: string, params: readonly unknown[]]

interface Answer {
  id: number
  result?: unknown
  error?: { message: string }
}

const agent = new Agent({ keepAlive: true })

/** @throws Error with the node's message, or one of node:http's when there is no node */
export async function callNode<T = unknown>(
  url: string,
  method: string,
  params: readonly unknown[] = [],
  signal?: AbortSignal,
): Promise<T> {
  const [result] = await callNodeAll<T>(url, [[method, params]], signal)
  return result as T
}

/**
 * Sends the calls in one request. The node works on them at once, so none may depend on another.
 * @throws Error if any of them fails
 */
export async function callNodeAll<T = unknown>(
  url: string,
  calls: readonly RpcCall[],
  signal?: AbortSignal,
): Promise<T[]> {
  if (calls.length === 0) return []
  const body = JSON.stringify(calls.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params })))
  const answers = JSON.parse(await post(url, body, signal)) as Answer[]
  return answers
    .toSorted((a, b) => a.id - b.id)
    .map(({ id, result, error }) => {
      if (error) throw new Error(`${calls[id]?.[0]}: ${error.message}`)
      return result as T
    })
}

function post(url: string, body: string, signal?: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { method: 'POST', agent, headers, ...(signal && { signal }) }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        text += chunk
      })
      response.on('end', () => {
        if (response.statusCode === 200) resolve(text)
        else reject(new Error(`The node answered ${response.statusCode}: ${text.slice(0, 200)}`))
      })
      response.on('error', reject)
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
