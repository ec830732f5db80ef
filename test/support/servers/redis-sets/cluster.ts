import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import type { RedisPlace } from '../../../../lib/redis/redis-place.ts'
import { waitUntil } from '../../waits/wait-until.ts'
import { type RedisNode, startNode } from './nodes.ts'

const PASSWORD = 'the-password-of-the-cluster'
/** How long a master is silent before the others elect its replica. */
const NODE_TIMEOUT_MS = 1_000

export interface TestCluster {
  place: RedisPlace
  nodes: readonly RedisNode[]
  /** The master that serves a key. */
  findMaster(key: string): Promise<RedisNode>
  findReplicas(master: RedisNode): Promise<RedisNode[]>
  /** Resolves when each slot has a master again, and each of its nodes knows. */
  waitUntilWell(): Promise<void>
}

/** Three masters with a replica each; undefined where redis-server is not installed. */
export async function startCluster(t: Test): Promise<TestCluster | undefined> {
  const settings = [
    'save ""',
    'appendonly no',
    `masterauth ${PASSWORD}`,
    `cluster-node-timeout ${NODE_TIMEOUT_MS}`,
    // Replicas take over, however old their data: this test makes the data old on purpose.
    'cluster-replica-validity-factor 0',
    'repl-diskless-sync-delay 0',
  ]
  const started = await Promise.all(
    Array.from({ length: 6 }, () => startNode(t, { settings, isOfCluster: true, password: PASSWORD })),
  )
  const nodes = started.filter((node) => node !== undefined)
  if (nodes.length < 6) return undefined
  const addresses = nodes.map(({ port, busPort }) => `127.0.0.1:${port}@${busPort}`)
  const create = ['--cluster', 'create', ...addresses, '--cluster-replicas', '1', '--cluster-yes', '-a', PASSWORD]
  await promisify(execFile)('redis-cli', create)

  const isUp = async ({ ask }: RedisNode) => {
    const [info, slots] = await Promise.all([ask('CLUSTER', 'INFO'), ask('CLUSTER', 'NODES')]).catch(() => [null, null])
    // The dead one has no say.
    if (info === null) return true
    const fails = String(slots)
      .split('\n')
      .some((line) => /master.*fail/.test(line) && /\d+-\d+$/.test(line))
    return /cluster_state:ok/.test(String(info)) && !fails
  }
  const waitUntilWell = () =>
    waitUntil('the Cluster serves every slot', async () => (await Promise.all(nodes.map(isUp))).every(Boolean))
  await waitUntilWell()
  const hasReplica = async ({ ask }: RedisNode) => {
    const text = String(await ask('INFO', 'replication'))
    return /role:master/.test(text) ? /state=online/.test(text) : /master_link_status:up/.test(text)
  }
  await waitUntil('each master has its replica', async () => (await Promise.all(nodes.map(hasReplica))).every(Boolean))

  const findMaster = async (key: string) => {
    const { ask } = await findRunning(nodes)
    const slot = Number(await ask('CLUSTER', 'KEYSLOT', key))
    const ranges = (await ask('CLUSTER', 'SLOTS')) as [number, number, [string, number]][]
    const [, , [, port]] = ranges.find(([from, to]) => from <= slot && slot <= to) as [number, number, [string, number]]
    return nodes.find((node) => node.port === port) as RedisNode
  }
  const findReplicas = async (master: RedisNode) => {
    const info = String(await master.ask('INFO', 'replication'))
    return nodes.filter(({ port }) => info.includes(`,port=${port},`))
  }
  const urls = nodes.map(({ url }) => url)
  return { place: { mode: 'cluster', urls, sentinelName: null }, nodes, findMaster, findReplicas, waitUntilWell }
}

async function findRunning(nodes: readonly RedisNode[]): Promise<RedisNode> {
  for (const node of nodes) {
    const answer = await node.ask('PING').catch(() => null)
    if (answer !== null) return node
  }
  throw new Error('No node of the Cluster answers')
}
