import { type CommandParser, defineScript, type RedisClientType, type RespVersions } from 'redis'
import { within } from '../concurrency/within.ts'
import type { RedisPlace } from './redis-place.ts'

export const CONNECT_DEADLINE_MS = 5_000
/** A server that is silent for this long hangs. */
export const HANG_MS = 3_000

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
export const scripts = { incrementUntil }

type Client = RedisClientType<Record<never, never>, Record<never, never>, typeof scripts, RespVersions>

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
export type Commands = Pick<Client, 'get' | 'set' | 'incrementUntil' | 'info'> & { multi: () => Pipeline }

/** A connection to Redis in any mode. It is made again in the background when it is lost; meanwhile commands fail. */
export interface Redis {
  /** Commands to the servers in use. Available once connected. */
  readonly commands: Commands
  /** Rejects if the first attempt fails. */
  connect(): Promise<void>
  /** Rejects if a primary that is used has been replaced, as far as others can be asked. */
  confirm(): Promise<unknown>
  /** Listens to a channel from now on, again after each reconnect. */
  subscribe(channel: string, listener: (text: string) => void): Promise<void>
  publish(channel: string, text: string): Promise<unknown>
  destroy(): void
}

export interface RedisEvents {
  onError: (error: unknown) => void
  /** Connected, for the first time or again. */
  onReady: () => void
}

/** A connected client of a mode. It is replaced by another one as a whole when it is lost. */
export interface Session {
  readonly commands: Commands
  publish(channel: string, text: string): Promise<unknown>
  /** Resolves when it listens. A subscription that ends later is a lost session. */
  subscribe(channel: string, listener: (text: string) => void): Promise<unknown>
  confirm(): Promise<unknown>
  /** Resolves if every server in use responds, and is still the one to use. Does not resolve while one hangs. */
  check(): Promise<unknown>
  destroy(): void
}

export interface SessionEvents {
  /** The session is of no use any more. */
  onLost: (error: unknown) => void
  /** A part of it is, which it replaces itself. */
  onError: (error: unknown) => void
  onReady: () => void
}

/** Connects. Rejects within seconds if it cannot. */
export type OpenSession = (events: SessionEvents) => Promise<Session>

export const backOff = (attempts: number) => Math.min(50 * 2 ** Math.min(attempts, 5), 1_000)

/** Sessions are checked more often than a silent connection is given up, so this ends only those that hang while they are made. */
export const socket = { connectTimeout: CONNECT_DEADLINE_MS, socketTimeout: CONNECT_DEADLINE_MS }

/** Connects a client, or destroys it. */
export async function connectWithin<Own extends { connect(): Promise<unknown>; destroy(): void }>(
  milliseconds: number,
  client: Own,
): Promise<Own> {
  try {
    await within(milliseconds, client.connect())
    return client
  } catch (error) {
    client.destroy()
    throw error
  }
}

interface Server {
  host: string
  port?: number
}

/** The servers of REDIS_URL, and what holds for every server: those that they name have no URL. */
export function readServers({ urls }: RedisPlace) {
  const servers = urls.map((url) => {
    const { hostname, port } = new URL(url)
    return { host: hostname.replace(/^\[(.*)\]$/, '$1'), ...(port && { port: Number(port) }) }
  })
  const { protocol, username, password, pathname } = new URL(urls[0] ?? '')
  const defaults = {
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(pathname.length > 1 && { database: Number(pathname.slice(1)) }),
    socket: protocol === 'rediss:' ? { ...socket, tls: true as const } : socket,
  }
  return { servers: servers as Server[], defaults }
}
