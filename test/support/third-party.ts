import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Test } from 'tap'

export interface Received {
  method: string
  path: string
  query: Record<string, string>
  headers: IncomingHttpHeaders
  body: string
}

/** Handles a request to a third party. */
export type Act = (response: ServerResponse, request: Received) => void

export interface ThirdParty {
  url: string
  /** Every request that arrived, the first one first. */
  received: Received[]
  /** From now on it does this. */
  act(act: Act): void
}

/** A third party on this machine: a real server that does whatever the test is about, ended with the test. */
export async function startThirdParty(t: Test, initially: Act): Promise<ThirdParty> {
  let current = initially
  const received: Received[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost')
    const one = {
      method: request.method ?? '',
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: request.headers,
      body: Buffer.concat(chunks).toString(),
    }
    received.push(one)
    current(response, one)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    act: (act) => {
      current = act
    },
  }
}

export const answer =
  (body: unknown, status = 200, headers: Record<string, string> = {}): Act =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers })
    response.end(typeof body === 'string' ? body : JSON.stringify(body))
  }

/** Accepts the request and never responds. */
export const stayMute: Act = () => {}

/** Takes the request, and is gone. */
export const hangUp: Act = (response) => void response.socket?.destroy()

/** Promises a thousand bytes, sends some, and hangs up. */
export const breakOff: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
  response.write('{"data":', () => response.socket?.destroy())
}

/** Sends a part and then stalls, with the connection open. */
export const stall: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write('{"data":')
}

/** Sends an endless body, until the client disconnects. */
export const flood: Act = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' })
  const chunk = Buffer.alloc(256 * 1024, 0x20)
  const pour = () => {
    while (!response.destroyed && response.write(chunk));
  }
  response.on('drain', pour)
  pour()
}
