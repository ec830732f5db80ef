import type { SetupProblem } from '../../errors.ts'

/** The lines of INFO by name; none if the user may not read it. */
export async function readInfo(client: { info(): Promise<unknown> }): Promise<ReadonlyMap<string, string>> {
  const text = await client.info().catch((error: unknown) => {
    if (error instanceof Error && error.message.startsWith('NOPERM')) return ''
    throw error
  })
  return new Map([...String(text).matchAll(/^(\w+):(.*?)\r?$/gm)].map(([, name = '', value = '']) => [name, value]))
}

/** Why the Redis of REDIS_URL does not suit, by its INFO; null if it does. */
export function findRedisProblem(url: string, info: ReadonlyMap<string, string>): SetupProblem | null {
  const place = new URL(url).host
  const fail = (problem: string, remedy: string) => ({ variable: 'REDIS_URL', problem: `${place} ${problem}`, remedy })
  const primary = 'Name the primary itself: a single Redis that accepts writes'
  switch (info.get('redis_mode')) {
    case 'sentinel':
      return fail('is a Sentinel, which stores no data', primary)
    case 'cluster':
      return fail(
        'is a node of a Redis Cluster, which rejects most keys',
        'Name a Redis without cluster mode; Cluster is not supported',
      )
  }
  if (info.get('role') === 'slave') return fail('is a replica, which rejects writes', primary)
  return null
}

/** What an error of connecting means, and what to do. */
export function describeRedisError(url: string, error: unknown): SetupProblem {
  const inner = error instanceof AggregateError ? error.errors[0] : error
  const reason = inner instanceof Error ? inner.message.replace(/\.$/, '') : String(inner)
  return {
    variable: 'REDIS_URL',
    problem: `the Redis at ${new URL(url).host} cannot be used: ${reason}`,
    remedy: /NOAUTH|WRONGPASS|NOPERM/.test(reason)
      ? 'Correct user and password of the URL, or the rights of that user'
      : 'Start Redis, or correct host, port and password of the URL',
  }
}
