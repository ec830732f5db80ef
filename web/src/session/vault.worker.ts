import {
  type FromVault,
  isMasked,
  isTokenPath,
  maskToken,
  type RequestMessage,
  type ToVault,
} from './vault-messages.ts'

/*
 * Keeps the sign-in tokens where scripts of the page cannot read them. The worker sends the requests that need one, to its own
 * origin or the configured API only, and removes the token from the response of the sign-in. A request names its token by the
 * masked one, so that a response for one wallet never changes what is sent for another.
 */

const api = new URL(import.meta.env.VITE_API_URL || self.location.origin, self.location.origin)
const requests = new Map<number, AbortController>()
const sockets = new Map<number, WebSocket>()
/** By their masked form, the newest last. */
const tokens = new Map<string, string>()
const MAX_TOKENS = 8

const post = (message: FromVault, transfer: Transferable[] = []) => self.postMessage(message, { transfer })

const isApi = (url: URL) => url.host === api.host && /^(http|ws)s?:$/.test(url.protocol)

self.addEventListener('message', ({ data }: MessageEvent<ToVault>) => {
  if (data.type === 'request') void send(data)
  else if (data.type === 'abort') requests.get(data.id)?.abort()
  else if (data.type === 'socket-open') openSocket(data.id, data.url)
  else if (data.type === 'socket-send') sendToSocket(data.id, data.text)
  else sockets.get(data.id)?.close(data.code)
})

async function send({ id, url, method, headers, body }: RequestMessage): Promise<void> {
  const abort = new AbortController()
  requests.set(id, abort)
  try {
    const target = new URL(url)
    if (!isApi(target)) throw new TypeError('The worker only sends requests to the API')
    const response = await fetch(target, {
      method,
      headers: headers.map(([name, value]): [string, string] => [
        name,
        name.toLowerCase() === 'authorization' ? `Bearer ${unmask(readBearer(value))}` : value,
      ]),
      body: body === null || typeof body === 'string' ? body : toForm(body.form),
      signal: abort.signal,
    })
    const bytes = await readBody(response, target, method, headers)
    post(
      {
        type: 'response',
        id,
        status: response.status,
        statusText: response.statusText,
        headers: [...response.headers],
        body: bytes,
      },
      [bytes],
    )
  } catch (error) {
    const { name, message } = error instanceof Error ? error : new Error(String(error))
    post({ type: 'failure', id, name, message })
  } finally {
    requests.delete(id)
  }
}

const readBearer = (header: string | undefined): string => header?.replace(/^Bearer /, '') ?? ''

/** An unknown token stays masked: the API rejects it. */
const unmask = (masked: string): string => tokens.get(masked) ?? masked

function toForm(entries: [string, string | Blob][]): FormData {
  const form = new FormData()
  for (const [name, value] of entries) form.append(name, value)
  return form
}

/** Keeps the token of a sign-in or of the browser's session, and drops the one that a sign-out revoked. */
async function readBody(
  response: Response,
  { pathname }: URL,
  method: string,
  headers: RequestMessage['headers'],
): Promise<ArrayBuffer> {
  const bytes = await response.arrayBuffer()
  if (method !== 'POST') return bytes
  if (pathname.endsWith('/auth/logout')) {
    const [, authorization] = headers.find(([name]) => name.toLowerCase() === 'authorization') ?? []
    tokens.delete(readBearer(authorization))
  }
  if (!isTokenPath(pathname) || !response.ok) return bytes
  const envelope = JSON.parse(new TextDecoder().decode(bytes)) as { data: { token: string } }
  const { token } = envelope.data
  envelope.data.token = maskToken(token)
  tokens.set(envelope.data.token, token)
  for (const oldest of [...tokens.keys()].slice(0, -MAX_TOKENS)) tokens.delete(oldest)
  return new TextEncoder().encode(JSON.stringify(envelope)).buffer
}

function openSocket(id: number, url: string): void {
  const target = new URL(url)
  if (!isApi(target)) {
    post({ type: 'socket-event', id, event: 'close', data: '' })
    return
  }
  const socket = new WebSocket(target)
  sockets.set(id, socket)
  const forward = (event: 'open' | 'message' | 'close' | 'error') =>
    socket.addEventListener(event, (given) => {
      const data = event === 'message' ? String((given as MessageEvent).data) : ''
      post({ type: 'socket-event', id, event, data })
      if (event === 'close') sockets.delete(id)
    })
  for (const event of ['open', 'message', 'close', 'error'] as const) forward(event)
}

function sendToSocket(id: number, text: string): void {
  const socket = sockets.get(id)
  if (socket?.readyState !== WebSocket.OPEN) return
  const message = JSON.parse(text) as { token?: string }
  socket.send(isMasked(message.token) ? JSON.stringify({ ...message, token: unmask(message.token) }) : text)
}
