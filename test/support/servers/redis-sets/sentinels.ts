import type { Test } from 'tap'
import type { RedisPlace } from '../../../../lib/redis/redis-place.ts'
import { waitUntil } from '../../waits/wait-until.ts'
import { type RedisNode, startNode } from './nodes.ts'

const NAME = 'primary-of-the-test'
const PASSWORD = 'the-password-of-the-sentinels'
const DOWN_AFTER_MS = 1_000

export interface TestSentinels {
  place: RedisPlace
  /** As clients of REDIS_MODE=single would name it. */
  primary: RedisNode
  replicas: readonly RedisNode[]
  sentinels: readonly RedisNode[]
  /** Resolves when the Sentinels name another primary than this one. */
  waitForFailover(from: RedisNode): Promise<void>
}

/** A primary with two replicas, watched by three Sentinels; undefined where redis-server is not installed. */
export async function startSentinels(t: Test): Promise<TestSentinels | undefined> {
  const settings = ['save ""', 'appendonly no', 'repl-diskless-sync-delay 0', `masterauth ${PASSWORD}`]
  const primary = await startNode(t, { settings, password: PASSWORD })
  if (!primary) return undefined
  const ofReplicas = [...settings, `replicaof 127.0.0.1 ${primary.port}`]
  const replicas = await Promise.all(
    [1, 2].map(() => startNode(t, { settings: ofReplicas, password: PASSWORD }) as Promise<RedisNode>),
  )
  const isComplete = async () => String(await primary.ask('INFO', 'replication')).match(/state=online/g)?.length === 2
  await waitUntil('the primary has its replicas', isComplete)
  const ofSentinels = [
    `sentinel monitor ${NAME} 127.0.0.1 ${primary.port} 2`,
    `sentinel down-after-milliseconds ${NAME} ${DOWN_AFTER_MS}`,
    `sentinel auth-pass ${NAME} ${PASSWORD}`,
    `sentinel sentinel-pass ${PASSWORD}`,
    `sentinel failover-timeout ${NAME} 5000`,
  ]
  const sentinels = await Promise.all(
    [1, 2, 3].map(
      () => startNode(t, { settings: ofSentinels, isSentinel: true, password: PASSWORD }) as Promise<RedisNode>,
    ),
  )
  const knowsAll = async ({ ask }: RedisNode) => {
    const fields = ((await ask('SENTINEL', 'MASTER', NAME)) as unknown[]).map(String)
    const read = (field: string) => fields[fields.indexOf(field) + 1]
    return read('num-slaves') === '2' && read('num-other-sentinels') === '2' && read('flags') === 'master'
  }
  await waitUntil('the Sentinels know each other and the replicas', async () =>
    (await Promise.all(sentinels.map(knowsAll))).every(Boolean),
  )
  const waitForFailover = (from: RedisNode) =>
    waitUntil('the Sentinels have made another primary', async () => {
      const address = (await sentinels.at(-1)?.ask('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', NAME)) as string[]
      return Number(address[1]) !== from.port
    })
  const urls = sentinels.map(({ url }) => url)
  return { place: { mode: 'sentinel', urls, sentinelName: NAME }, primary, replicas, sentinels, waitForFailover }
}
