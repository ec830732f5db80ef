import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Test } from 'tap'

// biome-ignore lint/suspicious/noExplicitAny: the body of any operation
type Body = any

export interface RewritingProxy {
  url: string
  /** Changes the bodies of responses of the API. */
  rewrite: (path: string, body: Body) => Body
  /** The last `data` that the browser got from a path that begins with this. */
  lastOf(path: string): Body
}

/** Stands in front of the service, so that a page can get other content than the service has. */
export async function startRewritingProxy(t: Test, target: string): Promise<RewritingProxy> {
  const bodies = new Map<string, Body>()
  const { host, hostname, port } = new URL(target)
  const own = ({ headers }: IncomingMessage) => ({ ...headers, host, ...(headers.origin && { origin: target }) })
  const server = createServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const path = request.url ?? '/'
    const { connection: _, 'accept-encoding': __, ...headers } = own(request) as unknown as Record<string, string>
    const body = request.method === 'GET' || request.method === 'HEAD' ? null : await readBody(request)
    const upstream = await fetch(target + path, { method: request.method ?? 'GET', headers, body, redirect: 'manual' })
    const isJson = upstream.headers.get('content-type')?.startsWith('application/json')
    let text: string | Buffer = Buffer.from(await upstream.arrayBuffer())
    if (isJson && upstream.ok && !path.startsWith('/rpc')) {
      const changed = proxy.rewrite(path, JSON.parse(text.toString()))
      bodies.set(path, changed.data)
      text = JSON.stringify(changed)
    }
    for (const [name, value] of upstream.headers)
      if (!/^(content-length|content-encoding|transfer-encoding|connection|keep-alive|etag)$/.test(name))
        response.appendHeader(name, value)
    response.writeHead(upstream.status).end(text)
  }
  server.on('upgrade', (request, socket, head) => {
    const upstream = connect(Number(port), hostname, () => {
      const lines = Object.entries(own(request)).map(([name, value]) => `${name}: ${value}`)
      upstream.write(`GET ${request.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
      upstream.write(head)
      upstream.pipe(socket).pipe(upstream)
    })
    for (const one of [upstream, socket]) {
      one.on('error', () => one.destroy())
      one.on('close', () => (one === upstream ? socket : upstream).destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port: ownPort } = server.address() as { port: number }
  const proxy: RewritingProxy = {
    url: `http://127.0.0.1:${ownPort}`,
    rewrite: (_path, body) => body,
    lastOf: (path) => [...bodies].findLast(([known]) => known.startsWith(path))?.[1],
  }
  return proxy
}

async function readBody(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

const HUGE = '9'.repeat(60)
const wide = (length: number) => () => 'W'.repeat(length)
const cycle =
  <Value>(...values: Value[]) =>
  (count: number) =>
    values[count % values.length]

/** The widest content that the contracts and the API let through, by field. */
const hostile: Readonly<Record<string, (count: number) => unknown>> = {
  ...Object.fromEntries(['name', 'title', 'tokenName'].map((field) => [field, wide(64)])),
  ...Object.fromEntries(['description', 'bio', 'text', 'reason', 'note'].map((field) => [field, wide(300)])),
  ...{ tokenSymbol: wide(16), username: wide(20) },
  ...{
    priceUsd: cycle(4.19e-7, null, 123_456_789.12),
    priceNative: cycle('0.00000419', '0.000000000000000000419', '98765.4321'),
  },
  ...Object.fromEntries(
    ['marketCapUsd', 'volumeUsd24h', 'volumeUsd', 'valueUsd', 'costUsd', 'liquidityUsd', 'usd'].map((field) => [
      field,
      cycle(1.234e26, -987_654.321, 0.0000000419, null, 999.99),
    ]),
  ),
  ...Object.fromEntries(['m5', 'h1', 'h24'].map((field) => [field, cycle(16_123_456.78, -99.99, 1_610.4, null)])),
  ...Object.fromEntries(
    [
      ...['balance', 'tokenAmount', 'quoteAmount', 'feesEarned', 'feesClaimable', 'volumeNative', 'receivedAmount'],
      ...['bought', 'sold', 'volume', 'creatorFees', 'protocolFees'],
    ].map((field) => [field, cycle(HUGE, '1', '123456789012345678901234', '1234567890123')]),
  ),
  native: cycle(HUGE, '1', '123456789012345678901234', '-1234567890123'),
  ...Object.fromEntries(
    [
      'holderCount',
      'traders24h',
      'tradeCount',
      'commentCount',
      'likeCount',
      'followerCount',
      'participantCount',
      'stakerCount',
    ].map((field) => [field, cycle(1_234_567_890, 99_999)]),
  ),
  ...{ rank: cycle(9_999), sharePct: cycle(33.333_333), aprPct: cycle(1e12), progressPct: cycle(12.345) },
}

/**
 * A rewrite of the proxy that puts hostile content into every record; what the page starts with stays. Equal requests get equal
 * content, however often the page sends them.
 */
export function createHostileRewrite(): RewritingProxy['rewrite'] {
  const visit = (value: Body, key: string, parent: string, counts: Map<string, number>): Body => {
    if (Array.isArray(value)) return value.map((one) => visit(one, key, parent, counts))
    // The coin's own symbol is the operator's.
    if (key === 'symbol' && parent !== 'quote') return wide(16)()
    const make = hostile[key]
    if (make && (value === null || typeof value !== 'object')) {
      const count = counts.get(key) ?? 0
      counts.set(key, count + 1)
      return make(count)
    }
    if (value === null || typeof value !== 'object') return value
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, visit(one, name, key, counts)]))
  }
  return (path, body) => (/^\/(config|auth)/.test(path) ? body : visit(body, '', '', new Map()))
}
