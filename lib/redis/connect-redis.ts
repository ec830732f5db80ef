import { setTimeout as sleep } from 'node:timers/promises'
import {
  type CommandParser,
  createClient,
  createCluster,
  createSentinel,
  defineScript,
  type RedisClientType,
  type RespVersions,
} from 'redis'
import type { RedisPlace } from './redis-place.ts'

export const CONNECT_DEADLINE_MS = 5_000
/** For how long a lost node of a Cluster is tried, before the others are asked who serves its keys now. */
const REFRESH_AFTER_MS = 300
/** How often the Sentinels are asked for the primary, besides when they announce a change. */
const SENTINEL_SCAN_MS = 1_000

/** Increments by one and returns the count with the milliseconds it has left. The first increment, or a lost expiry, sets them. */
const incrementUntil = defineScript({
  SCRIPT: `
    local value = redis.call('INCR', KEYS[1])
    local left = redis.call('PTTL', KEYS[1])
    if left >= 0 then return { value, left } end
    redis.call('PEXPIRE', KEYS[1], ARGV[1])
    return { value, tonumber(ARGV[1]) }`,
  NUMBER_OF_KEYS: 1,
  parseCommand(parser: CommandParser, key: string, milliseconds: number) {
    parser.pushKey(key)
    parser.push(String(milliseconds))
  },
  transformReply: ([value, resetMs]: number[]) => ({ value: value as number, resetMs: resetMs as number }),
})
const scripts = { incrementUntil }
type Scripts = typeof scripts

type Client = RedisClientType<Record<never, never>, Record<never, never>, Scripts, RespVersions>

/** Commands that are written to one connection without waiting for each other. The first of them has the key. */
export interface Pipeline {
  get: (key: string) => Pipeline
  set: (...args: Parameters<Client['set']>) => Pipeline
  getDel: (key: string) => Pipeline
  del: (key: string) => Pipeline
  wait: (replicas: number, milliseconds: number) => Pipeline
  info: (section: string) => Pipeline
  execAsPipeline: () => Promise<unknown[]>
}

/** The commands of the service. Each has one key, so that a Cluster can serve it. */
type Commands = Pick<Client, 'get' | 'set' | 'incrementUntil' | 'info'> & { multi: () => Pipeline }

/** A connection to Redis in any mode. It reconnects in the background; meanwhile commands fail. */
export interface Redis {
  readonly commands: Commands
  connect(): Promise<unknown>
  /** Listens to a channel from now on, again after each reconnect. */
  subscribe(channel: string, listener: (text: string) => void): Promise<void>
  publish(channel: string, text: string): Promise<unknown>
  destroy(): void
}

interface Events {
  onError: (error: unknown) => void
  /** Connected, for the first time or again. */
  onReady: () => void
}

/** The only place that knows the modes apart: everything else sends the same commands. */
export function connectRedis(place: RedisPlace, events: Events): Redis {
  if (place.mode === 'cluster') return connectCluster(place, events)
  if (place.mode === 'sentinel') return connectSentinel(place, events)
  return connectSingle(place, events)
}

const backOff = (attempts: number) => Math.min(50 * 2 ** Math.min(attempts, 6), 2_000)
const socket = { connectTimeout: CONNECT_DEADLINE_MS, reconnectStrategy: backOff }

function connectSingle({ urls: [url = ''] }: RedisPlace, { onError, onReady }: Events): Redis {
  const client = createClient({ url, scripts, disableOfflineQueue: true, socket })
  client.on('error', onError)
  client.on('ready', onReady)
  return {
    commands: client as unknown as Commands,
    connect: () => client.connect(),
    // The client subscribes again after a reconnect.
    subscribe: (channel, listener) => client.subscribe(channel, listener),
    publish: (channel, text) => client.publish(channel, text),
    destroy: () => client.destroy(),
  }
}

/**
 * Channels are sharded: a message goes to the nodes of one slot. An unsharded one would go to every node of the Cluster, and take
 * the bandwidth between all of them.
 */
function connectCluster(place: RedisPlace, { onError, onReady }: Events): Redis {
  const { rootNodes, defaults } = readNodes(place)
  const options = {
    rootNodes,
    scripts,
    defaults: { ...defaults, disableOfflineQueue: true },
    // Nodes are connected when first used: to wait for one that is gone would keep the client from learning of its successor.
    minimizeConnections: true,
  }
  const cluster = createCluster({ ...options, topologyRefreshOnReconnectionAttemptStrategy: REFRESH_AFTER_MS })
  cluster.on('error', onError)
  cluster.on('node-error', onError)
  cluster.on('node-ready', onReady)
  const closing = new AbortController()

  /** Listens until the connection to the node of the channel is lost. */
  const listen = async (channel: string, listener: (text: string) => void, onStart: () => void) => {
    const lost = Promise.withResolvers<never>()
    lost.promise.catch(() => {})
    const node = { ...options.defaults, socket: { ...defaults.socket, reconnectStrategy: false as const } }
    const subscriber = createCluster({
      ...options,
      defaults: node,
      topologyRefreshOnReconnectionAttemptStrategy: false,
    })
    // Of a node of REDIS_URL that is down while another answers.
    subscriber.on('error', () => {})
    subscriber.on('node-error', lost.reject)
    subscriber.on('node-disconnect', () => lost.reject(new Error('The connection was closed')))
    subscriber.on('sharded-channel-moved-error', lost.reject)
    closing.signal.addEventListener('abort', lost.reject, { once: true })
    try {
      await Promise.race([subscriber.connect(), lost.promise])
      await Promise.race([subscriber.sSubscribe(channel, listener), lost.promise])
      onStart()
      await lost.promise
    } finally {
      closing.signal.removeEventListener('abort', lost.reject)
      subscriber.destroy()
    }
  }

  return {
    commands: cluster as unknown as Commands,
    connect: () => cluster.connect(),
    // A new client finds the node that serves the channel now. The client's own resubscription is a promise that nobody
    // awaits: if it failed, it would end the process.
    subscribe: async (channel, listener) => {
      for (let attempts = 0; !closing.signal.aborted; attempts++) {
        const onStart = () => {
          attempts = 0
          onReady()
        }
        await listen(channel, listener, onStart).catch((error) => closing.signal.aborted || onError(error))
        await sleep(backOff(attempts), undefined, { signal: closing.signal }).catch(() => {})
      }
    },
    publish: (channel, text) => cluster.sPublish(channel, text),
    destroy: () => {
      closing.abort()
      cluster.destroy()
    },
  }
}

function connectSentinel(place: RedisPlace, { onError, onReady }: Events): Redis {
  const { rootNodes, defaults } = readNodes(place)
  const { database, ...ofSentinels } = defaults
  const sentinel = createSentinel({
    name: place.sentinelName ?? '',
    sentinelRootNodes: rootNodes.map(({ socket: { host, port } }) => ({ host, port: port ?? 26_379 })),
    scripts,
    sentinelClientOptions: ofSentinels,
    nodeClientOptions: { ...defaults, disableOfflineQueue: true },
    // A command is never repeated: it may have taken effect.
    maxCommandRediscovers: 0,
    scanInterval: SENTINEL_SCAN_MS,
    passthroughClientErrorEvents: true,
  })
  sentinel.on('error', onError)
  sentinel.on('ready', onReady)
  return {
    commands: sentinel as unknown as Commands,
    connect: () => sentinel.connect(),
    // The client subscribes again at the new primary.
    subscribe: (channel, listener) => sentinel.subscribe(channel, listener),
    publish: (channel, text) => sentinel.publish(channel, text),
    destroy: () => void sentinel.destroy().catch(() => {}),
  }
}

/** The nodes of REDIS_URL, and what holds for every node: those that they name have no URL. */
function readNodes({ urls }: RedisPlace) {
  const nodes = urls.map((url) => {
    const { hostname, port } = new URL(url)
    return { socket: { host: hostname.replace(/^\[(.*)\]$/, '$1'), ...(port && { port: Number(port) }) } }
  })
  const { protocol, username, password, pathname } = new URL(urls[0] ?? '')
  const defaults = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(pathname.length > 1 && { database: Number(pathname.slice(1)) }),
    socket: protocol === 'rediss:' ? { ...socket, tls: true as const } : socket,
  }
  return { rootNodes: nodes as { socket: { host: string; port?: number } }[], defaults }
}
