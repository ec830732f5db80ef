import workerUrl from './vault.worker.ts?worker&url'
import { type FromVault, isTokenPath, type RequestMessage, type ToVault } from './vault-messages.ts'

interface TrustedTypes {
  createPolicy(name: string, rules: { createScriptURL(url: string): string }): { createScriptURL(url: string): unknown }
}

/** The only script URL that the client creates. The policy accepts nothing else. */
function trustWorkerUrl(): string {
  const factory = (globalThis as { trustedTypes?: TrustedTypes }).trustedTypes
  if (!factory) return workerUrl
  const policy = factory.createPolicy('slipway-worker', {
    createScriptURL: (url) => {
      if (url !== workerUrl) throw new TypeError('Not the URL of the worker')
      return url
    },
  })
  return policy.createScriptURL(workerUrl) as string
}

type Pending = { resolve(response: Response): void; reject(error: unknown): void }

const worker = new Worker(trustWorkerUrl(), { type: 'module', name: 'session' })
const pending = new Map<number, Pending>()
const sockets = new Map<number, VaultSocket>()
let lastId = 0

const post = (message: ToVault) => worker.postMessage(message)

worker.addEventListener('message', ({ data }: MessageEvent<FromVault>) => {
  if (data.type === 'socket-event') return sockets.get(data.id)?.dispatch(data.event, data.data)
  const waiting = pending.get(data.id)
  pending.delete(data.id)
  if (data.type === 'failure') {
    const error =
      data.name === 'AbortError' ? new DOMException(data.message, 'AbortError') : new TypeError(data.message)
    return waiting?.reject(error)
  }
  const { status, statusText, headers, body } = data
  const isEmpty = status === 204 || status === 205 || status === 304
  waiting?.resolve(new Response(isEmpty ? null : body, { status, statusText, headers }))
})

/** fetch for the SDK: requests with the token, and the sign-in itself, go through the worker. */
export const vaultFetch: typeof fetch = (input, init = {}) => {
  const url = String(input)
  const headers = [...new Headers(init.headers)]
  const isPersonal = headers.some(([name]) => name === 'authorization') || isTokenPath(url)
  if (!isPersonal) return fetch(url, init)
  const { signal } = init
  if (signal?.aborted) return Promise.reject(signal.reason)
  const id = ++lastId
  return new Promise((resolve, reject) => {
    pending.set(id, { resolve, reject })
    signal?.addEventListener('abort', () => {
      pending.delete(id)
      post({ type: 'abort', id })
      reject(signal.reason)
    })
    post({ type: 'request', id, url, method: init.method ?? 'GET', headers, body: toBody(init.body) })
  })
}

function toBody(body: BodyInit | null | undefined): RequestMessage['body'] {
  if (body instanceof FormData) return { form: [...body] }
  return typeof body === 'string' ? body : null
}

type SocketEvent = 'open' | 'message' | 'close' | 'error'

/** A WebSocket in the worker, in the shape that the SDK takes. */
export class VaultSocket {
  readyState = 0
  readonly #id = ++lastId
  readonly #listeners = new Map<SocketEvent, ((event: { data: string }) => void)[]>()

  constructor(url: string) {
    sockets.set(this.#id, this)
    post({ type: 'socket-open', id: this.#id, url })
  }

  addEventListener(type: SocketEvent, listen: (event: { data: string }) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listen])
  }

  send(text: string): void {
    post({ type: 'socket-send', id: this.#id, text })
  }

  close(code?: number): void {
    this.readyState = 2
    post({ type: 'socket-close', id: this.#id, code })
  }

  dispatch(event: SocketEvent, data: string): void {
    if (event === 'open') this.readyState = 1
    if (event === 'close') {
      this.readyState = 3
      sockets.delete(this.#id)
    }
    for (const listen of this.#listeners.get(event) ?? []) listen({ data })
  }
}
