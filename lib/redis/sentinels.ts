import { createClient } from 'redis'
import { within } from '../concurrency/within.ts'
import type { RedisPlace } from './redis-place.ts'
import { openServer } from './server-session.ts'
import { backOff, HANG_MS, type OpenSession, readServers } from './session.ts'

const DEFAULT_PORT = 26_379

interface Address {
  host: string
  port: number
}

type Primary = Address & { epoch: number }

/** Sessions with the primary that the Sentinels of REDIS_URL name. */
export function createSentinelOpener(place: RedisPlace): { open: OpenSession; destroy: () => void } {
  const { defaults } = readServers(place)
  const sentinels = new Sentinels(place)
  const open: OpenSession = async (events) => {
    const { host, port } = await sentinels.findPrimary()
    const session = await openServer({ ...defaults, socket: { ...defaults.socket, host, port } }, events)
    /** A primary that the Sentinels have replaced may respond as ever. */
    const checkPrimary = async () => {
      const primary = await sentinels.findPrimary().catch(() => null)
      if (primary !== null && (primary.host !== host || primary.port !== port))
        throw new Error(`The Sentinels name another primary than ${host}:${port}: ${primary.host}:${primary.port}`)
    }
    return { ...session, confirm: checkPrimary, check: () => Promise.all([session.check(), checkPrimary()]) }
  }
  return { open, destroy: () => sentinels.destroy() }
}

/** Connections to all Sentinels of REDIS_URL, kept for asking them every second. */
class Sentinels {
  readonly #name: string
  readonly #clients: { client: ReturnType<typeof createSentinelClient>; connecting: Promise<unknown> }[]

  constructor(place: RedisPlace) {
    this.#name = place.sentinelName ?? ''
    this.#clients = readServers(place).servers.map((server) => {
      const client = createSentinelClient(place, { port: DEFAULT_PORT, ...server })
      // What it cannot answer for, others do.
      client.on('error', () => {})
      const connecting = client.connect()
      connecting.catch(() => {})
      return { client, connecting }
    })
  }

  /**
   * The newest configuration that most Sentinels, or all that answer in time, have: one that was cut off may not know of a
   * failover. Rejects if none answers.
   */
  async findPrimary(): Promise<Address> {
    const known: Primary[] = []
    const answers = this.#clients.map(async ({ client, connecting }) => {
      const asked = connecting.then(() => client.sendCommand(['SENTINEL', 'MASTER', this.#name]))
      known.push(readPrimary((await within(HANG_MS, asked)) as unknown as string[]))
      if (known.length * 2 <= this.#clients.length) throw new Error('Most Sentinels have not answered')
    })
    await Promise.any(answers).catch((error: AggregateError) => {
      if (known.length === 0) throw error.errors[0]
    })
    return known.reduce((newest, one) => (one.epoch > newest.epoch ? one : newest))
  }

  destroy(): void {
    for (const { client } of this.#clients) client.destroy()
  }
}

function createSentinelClient(place: RedisPlace, server: Address) {
  // Sentinels have no databases.
  const { database: _, ...defaults } = readServers(place).defaults
  return createClient({
    ...defaults,
    RESP: 2,
    disableOfflineQueue: true,
    socket: { ...defaults.socket, ...server, reconnectStrategy: backOff },
  })
}

/** The fields of a reply are names and values in turn. */
function readPrimary(fields: readonly string[]): Primary {
  const read = (name: string) => fields[fields.indexOf(name) + 1] ?? ''
  return { host: read('ip'), port: Number(read('port')), epoch: Number(read('config-epoch')) }
}
