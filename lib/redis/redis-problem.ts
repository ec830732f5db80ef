import { createClient } from 'redis'
import type { SetupProblem } from '../../errors.ts'
import { nameHosts, type RedisPlace } from './redis-place.ts'

const CONNECT_TIMEOUT_MS = 3_000

export type RedisInfo = ReadonlyMap<string, string>

/** The lines of INFO by name; none if the user may not read it. */
export async function readInfo(client: { info(): Promise<unknown> }): Promise<RedisInfo> {
  const text = await client.info().catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return ''
    throw error
  })
  return parseInfo(String(text))
}

export const parseInfo = (text: string): RedisInfo =>
  new Map([...text.matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]))

/**
 * Why what REDIS_URL names does not suit REDIS_MODE; null if it does. Asks the first of its servers that answers, because a
 * client of the wrong mode could only say that it failed.
 *
 * @throws if none answers
 */
export async function inspectRedis(place: RedisPlace): Promise<SetupProblem | null> {
  const errors: unknown[] = []
  for (const url of place.urls) {
    const client = createClient({ url, socket: { connectTimeout: CONNECT_TIMEOUT_MS, reconnectStrategy: false } })
    client.on('error', () => {})
    try {
      await client.connect()
      const info = await readInfo(client)
      const problem = findModeProblem(place, info)
      if (problem) return problem
      if (place.mode === 'cluster') return findSlotProblem(await client.clusterInfo())
      if (place.mode === 'sentinel') {
        const primaries = (await client.sendCommand(['SENTINEL', 'MASTERS'])) as readonly unknown[]
        return findNameProblem(place, primaries.map(readName))
      }
      return findRoleProblem(url, info)
    } catch (error) {
      errors.push(error)
    } finally {
      client.destroy()
    }
  }
  throw errors[0]
}

/** What a server says of itself as `redis_mode`, the mode that suits it, and what that mode needs. */
const KINDS = {
  standalone: ['single', 'a single Redis', 'REDIS_MODE=single'],
  cluster: ['cluster', 'a node of a Redis Cluster', 'REDIS_MODE=cluster'],
  sentinel: [
    'sentinel',
    'a Sentinel, which stores no data',
    'REDIS_MODE=sentinel, and REDIS_SENTINEL_NAME to the name of the primary that it watches',
  ],
} as const

/** Whether a server is of another kind than REDIS_MODE says. */
export function findModeProblem({ mode }: RedisPlace, info: RedisInfo): SetupProblem | null {
  const kind = KINDS[info.get('redis_mode') as keyof typeof KINDS]
  if (kind === undefined || kind[0] === mode) return null
  const wanted = { single: 'a single Redis', cluster: 'nodes of a Redis Cluster', sentinel: 'Sentinels' }[mode]
  return {
    variable: 'REDIS_MODE',
    problem: `it is ${mode}, but REDIS_URL names ${kind[1]}`,
    remedy: `Set ${kind[2]}; or let REDIS_URL name ${wanted}`,
  }
}

function findSlotProblem(text: string): SetupProblem | null {
  const state = parseInfo(text).get('cluster_state')
  if (state === 'ok') return null
  return {
    variable: 'REDIS_URL',
    problem: `the Redis Cluster does not serve all keys: its cluster_state is ${state}`,
    remedy: 'Start its masters and give each slot to one; redis-cli --cluster check names what is missing',
  }
}

function findNameProblem(place: RedisPlace, known: readonly string[]): SetupProblem | null {
  if (known.includes(place.sentinelName ?? '')) return null
  return {
    variable: 'REDIS_SENTINEL_NAME',
    problem: `the Sentinels of REDIS_URL watch no primary of the name ${place.sentinelName}`,
    remedy:
      known.length > 0 ? `Set it to ${known.join(' or ')}` : 'Configure the Sentinels with sentinel monitor first',
  }
}

function findRoleProblem(url: string, info: RedisInfo): SetupProblem | null {
  if (info.get('role') !== 'slave') return null
  return {
    variable: 'REDIS_URL',
    problem: `${new URL(url).host} is a replica, which rejects writes`,
    remedy: 'Name the primary itself: a single Redis that accepts writes',
  }
}

/** Reads the name from the fields of a primary, which are a list or a map, by the version of the protocol. */
function readName(fields: unknown): string {
  const entries = Array.isArray(fields)
    ? fields.map(String)
    : Object.entries(fields as object)
        .flat()
        .map(String)
  return entries[entries.indexOf('name') + 1] ?? ''
}

/** What an error of connecting means, and what to do. */
export function describeRedisError(place: RedisPlace, error: unknown): SetupProblem {
  const inner = error instanceof AggregateError ? error.errors[0] : error
  const reason = inner instanceof Error ? inner.message.replace(/\.$/, '') : String(inner)
  return {
    variable: 'REDIS_URL',
    problem: `the Redis at ${nameHosts(place)} cannot be used: ${reason}`,
    remedy: /NOAUTH|WRONGPASS|NOPERM/.test(reason)
      ? 'Correct user and password of the URL, or the rights of that user'
      : 'Start Redis, or correct host, port and password of the URL',
  }
}
