import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import type { Test } from 'tap'

/** The call with a large response; all others are forwarded. */
const LARGE_CALL = { to: `0x${'1a'.repeat(20)}`, data: '0x' }

/** A JSON-RPC node that responds to one eth_call with `bytes` bytes and forwards all other calls to the node at `url`. */
export async function startLargeNode(t: Test, url: string, bytes: number): Promise<string> {
  const result = `"0x${'5a'.repeat(bytes / 2)}"`
  const server = createServer(async (request, response) => {
    const body = (await request.toArray()).join('')
    response.setHeader('content-type', 'application/json')
    const { method, id, params } = JSON.parse(body)
    if (method === 'eth_call' && params[0]?.to === LARGE_CALL.to)
      return response.end(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`)
    const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } })
    response.end(await answer.text())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.closeAllConnections())
  t.teardown(() => void server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** The bytes of a POST to /rpc that asks for the large answer. */
export function largeCall(headers = ''): string {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_call', params: [LARGE_CALL, 'latest'] })
  return `POST /rpc HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\n${headers}Content-Length: ${body.length}\r\n\r\n${body}`
}

/** A connection that sends bytes and never reads. */
export interface DeafClient {
  socket: Socket
  /** Whether the server has ended it. */
  closed: boolean
}

export async function connectDeaf(t: Test, port: number, bytes: string, localAddress?: string): Promise<DeafClient> {
  const socket = connect({ port, host: '127.0.0.1', ...(localAddress && { localAddress }) })
  const client: DeafClient = { socket, closed: false }
  socket.on('error', () => {})
  socket.on('close', () => {
    client.closed = true
  })
  t.teardown(() => socket.destroy())
  await once(socket, 'connect')
  socket.pause()
  socket.write(bytes)
  return client
}

/** Sends bytes, and returns everything received until the connection ends or is reset. */
export async function converse(t: Test, port: number, bytes: string, localAddress?: string): Promise<string> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, ...(localAddress && { localAddress }) })
  t.teardown(() => socket.destroy())
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => chunks.push(chunk))
  const { promise, resolve } = Promise.withResolvers<void>()
  for (const event of ['end', 'error', 'close']) socket.on(event, () => resolve())
  socket.write(bytes)
  await promise
  return Buffer.concat(chunks).toString()
}
