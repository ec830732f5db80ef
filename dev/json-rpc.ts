// JSON-RPC client for the development node. Keep-alive connections of node:http take a third of fetch's time, which
// matters when hundreds of blocks are built at the first start.
import { Agent, request } from 'node:http'

export type RpcCall = readonly [method: string, params: readonly unknown[]]

interface Answer {
  id: number
  result?: unknown
  error?: { message: string }
}

const agent = new Agent({ keepAlive: true })

/** @throws Error with the node's message, or node:http's if the node is unreachable */
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
 * Sends the calls as one batch. The node runs them concurrently, so none may depend on another.
 * @throws Error if any call fails
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
