import { once } from 'node:events'
import type { AddressInfo, Socket } from 'node:net'
import type { FastifyInstance } from 'fastify'
import type { Test } from 'tap'
import { type ClientOptions, WebSocket } from 'ws'
import type { Config } from '../../config/config.ts'
import type { Services } from '../../services.ts'
import { createTestApp, testConfig } from './app.ts'
import { createDocumentSchemas } from './document-schemas.ts'
import { createTestEvents, type TestEvents } from './live-events.ts'
import { waitFor } from './waits/wait-until.ts'

export interface Received {
  type: string
  room?: string
  id?: string | number
  seq?: number
  code?: string
  message?: string
  data?: unknown
}

export interface SocketApp {
  app: FastifyInstance
  events: TestEvents
  /** host:port of the listening server. */
  host: string
  connect: (path?: string, options?: ClientOptions) => Promise<Client>
}

/** The listening app with its own live bus. */
export async function createSocketApp(
  t: Test,
  env: Record<string, string> = {},
  { config = testConfig(env), ...services }: Partial<Services> & { config?: Config } = {},
): Promise<SocketApp> {
  const events = createTestEvents()
  const { app } = await createTestApp({ config, services: { ...services, live: events } })
  t.teardown(() => app.close())
  return { app, events, ...(await listenForSockets(t, app)) }
}

/** Lets an app listen, and clients connect to it. */
export async function listenForSockets(t: Test, app: FastifyInstance): Promise<Pick<SocketApp, 'host' | 'connect'>> {
  await app.listen({ port: 0, host: '127.0.0.1' })
  const host = `127.0.0.1:${(app.server.address() as AddressInfo).port}`
  const check = await createFrameCheck(app)
  const connect = async (path = '/ws', options?: ClientOptions) => {
    const client = new Client(new WebSocket(`ws://${host}${path}`, options), check)
    t.teardown(() => client.ws.terminate())
    await client.opened
    return client
  }
  return { host, connect }
}

/** A client that stores received messages and validates each against the document of the socket. */
export class Client {
  readonly ws: WebSocket
  readonly messages: Received[] = []
  readonly opened: Promise<unknown>
  readonly closed: Promise<{ code: number; reason: string }>
  readonly problems: string[] = []
  #changed = Promise.withResolvers<void>()
  #at = 0

  constructor(ws: WebSocket, check: (message: Received) => string | null) {
    this.ws = ws
    this.opened = once(ws, 'open')
    this.closed = new Promise((resolve) =>
      ws.on('close', (code, reason) => {
        resolve({ code, reason: reason.toString() })
        this.#changed.resolve()
      }),
    )
    ws.on('error', () => {})
    ws.on('message', (data) => {
      const message = JSON.parse(String(data)) as Received
      const problem = check(message)
      if (problem !== null) this.problems.push(`${data}: ${problem}`)
      this.messages.push(message)
      this.#changed.resolve()
      this.#changed = Promise.withResolvers()
    })
  }

  send(message: unknown): void {
    this.ws.send(typeof message === 'string' ? message : JSON.stringify(message))
  }

  /** The next unread message. */
  async next(): Promise<Received> {
    while (this.messages.length <= this.#at) {
      if (this.ws.readyState === WebSocket.CLOSED) throw new Error('The socket is closed')
      await waitFor('the next message of a socket', this.#changed.promise)
    }
    return this.messages[this.#at++] as Received
  }

  async take(count: number): Promise<Received[]> {
    const taken: Received[] = []
    while (taken.length < count) taken.push(await this.next())
    return taken
  }

  async ask(message: unknown): Promise<Received> {
    this.send(message)
    return this.next()
  }

  /** All messages before the pong of a ping that is sent now. */
  async untilPong(): Promise<Received[]> {
    const id = `pong-${this.#at}`
    this.send({ type: 'ping', id })
    const taken: Received[] = []
    for (;;) {
      const message = await this.next()
      if (message.type === 'pong' && message.id === id) return taken
      taken.push(message)
    }
  }

  /** Stops reading, so that messages accumulate. */
  stall(): void {
    this.transport.pause()
  }

  get transport(): Socket {
    return (this.ws as unknown as { _socket: Socket })._socket
  }
}

/** Validates a message of the server against its type in the app's AsyncAPI document. */
async function createFrameCheck(app: FastifyInstance): Promise<(message: Received) => string | null> {
  const ajv = createDocumentSchemas((await app.inject('/asyncapi.json')).json())
  return (message) => {
    const validate = ajv.getSchema(`document#/components/messages/${message.type}/payload`)
    if (!validate) return 'is of no known type'
    return validate(message) ? null : ajv.errorsText(validate.errors)
  }
}
