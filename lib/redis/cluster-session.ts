import { createCluster } from 'redis'
import type { RedisPlace } from './redis-place.ts'
import {
  backOff,
  CONNECT_DEADLINE_MS,
  type Commands,
  connectWithin,
  type OpenSession,
  readServers,
  scripts,
} from './session.ts'

/** For how long a lost node is tried, before the others are asked who serves its keys now. */
const REFRESH_AFTER_MS = 300
/** How long a node of REDIS_URL may take to name the others: one that hangs must not hold up those after it. */
const ROOT = { connectTimeout: 1_500, socketTimeout: 1_500 }

/**
 * Sessions with a Cluster. A node that closes its connections is replaced by the client; for one that hangs the client waits, so
 * the session is replaced. Channels are sharded: a message goes to the nodes of one slot. An unsharded one would go to every node
 * of the Cluster, and take the bandwidth between all of them.
 */
export const createClusterOpener =
  (place: RedisPlace): OpenSession =>
  async (events) => {
    const cluster = createClient(place, { reconnects: true })
    cluster.on('error', events.onError)
    cluster.on('node-error', events.onError)
    cluster.on('node-ready', events.onReady)
    await connectWithin(CONNECT_DEADLINE_MS, cluster)
    const opened = [cluster]
    return {
      commands: cluster as unknown as Commands,
      publish: (channel, text) => cluster.sPublish(channel, text),
      subscribe: async (channel, listener) => {
        // The client's own resubscription is a promise that nobody awaits: if it failed, it would end the process.
        const subscriber = createClient(place, { reconnects: false })
        opened.push(subscriber)
        // These are errors of a node of REDIS_URL that is down while another answers.
        subscriber.on('error', () => {})
        subscriber.on('node-error', events.onLost)
        subscriber.on('node-disconnect', () => events.onLost(new Error('The connection was closed')))
        subscriber.on('sharded-channel-moved-error', events.onLost)
        await subscriber.connect()
        await subscriber.sSubscribe(channel, listener)
      },
      // The other nodes tell a master within a moment that it was replaced, and it then refuses writes.
      confirm: async () => {},
      check: () => Promise.all(opened.flatMap(listNodes).map(isUp)),
      destroy: () => {
        for (const one of opened) one.destroy()
      },
    }
  }

function createClient(place: RedisPlace, { reconnects }: { reconnects: boolean }) {
  const { servers, defaults } = readServers(place)
  return createCluster({
    rootNodes: servers.map((server) => ({ socket: { ...server, ...ROOT } })),
    scripts,
    defaults: {
      ...defaults,
      disableOfflineQueue: true,
      socket: { ...defaults.socket, reconnectStrategy: reconnects && backOff },
    },
    // Nodes are connected when first used: to wait for one that is gone would keep the client from learning of its successor.
    minimizeConnections: true,
    topologyRefreshOnReconnectionAttemptStrategy: reconnects && REFRESH_AFTER_MS,
  })
}

const listNodes = ({ masters }: ReturnType<typeof createClient>) =>
  masters.flatMap(({ client, pubSub }) => [client, pubSub?.client]).filter((client) => client !== undefined)

/** Resolves when a node answers. One that cannot be reached may be again. */
const isUp = async (client: ReturnType<typeof listNodes>[number]): Promise<void> => {
  if (client.isReady) await client.ping()
  else await new Promise<void>((resolve) => client.once('ready', () => resolve()))
}
