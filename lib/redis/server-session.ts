import { createClient } from 'redis'
import { type Commands, connectWithin, HANG_MS, type Session, type SessionEvents, scripts } from './session.ts'

type ClientOptions = NonNullable<Parameters<typeof createClient>[0]>
type SocketOptions = NonNullable<ClientOptions['socket']>

/** A session with one server. */
export async function openServer(
  { socket, ...options }: ClientOptions & { socket: SocketOptions },
  { onLost }: SessionEvents,
): Promise<Session> {
  const client = createClient({
    ...options,
    scripts,
    disableOfflineQueue: true,
    // A lost session is replaced, perhaps by one with another server.
    socket: { ...socket, reconnectStrategy: false } as SocketOptions,
  })
  client.on('error', onLost)
  await connectWithin(HANG_MS, client)
  return {
    commands: client as unknown as Commands,
    publish: (channel, text) => client.publish(channel, text),
    subscribe: (channel, listener) => client.subscribe(channel, listener),
    confirm: async () => {},
    check: () => client.ping(),
    destroy: () => client.destroy(),
  }
}
