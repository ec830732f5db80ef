import { access, chown, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findPort } from '../../support/servers/find-port.ts'
import { listTree, signalAll } from '../../support/servers/process-tree.ts'
import { findOwner, findPostgres } from '../../support/servers/replicated-postgres.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'
import { type Owner, type RunningProgram, startProgram } from './processes.ts'
import { describeHaproxy, describePatroni, type NodePorts } from './settings.ts'

const PROGRAMS = { patroni: '/usr/bin/patroni', etcd: '/usr/bin/etcd', haproxy: '/usr/sbin/haproxy' }
const START_MS = 120_000

/** false if Patroni can be started here, else why tests that need it are skipped. */
export async function findPatroniProblem(): Promise<false | string> {
  for (const path of Object.values(PROGRAMS))
    if (
      !(await access(path).then(
        () => true,
        () => false,
      ))
    )
      return 'no Patroni'
  return (await findPostgres()) === undefined && 'no Patroni: no PostgreSQL server'
}

export interface PatroniNode {
  name: string
  url: string
  /** Of Patroni's REST API. */
  restUrl: string
  start(): void
  /** Ends Patroni and its PostgreSQL at once, as a machine that is gone. */
  kill(): Promise<void>
  /** Lets both hang, as a machine that is cut off. */
  pause(): Promise<void>
  resume(): void
  /** From now on replicas get no commit from this primary, which answers clients as before. */
  holdReplication(): Promise<void>
}

export interface PatroniCluster {
  nodes: readonly PatroniNode[]
  /** All nodes in one URL. */
  url: string
  /** The ports of HAProxy: of the primary, and of the replicas. */
  proxyUrl: string
  proxyReplicaUrl: string
  folder: string
  /** The node that Patroni's REST API calls the primary; undefined while there is none. */
  findPrimary(): Promise<PatroniNode | undefined>
  /** The replica of a synchronous cluster that commits wait for: the next primary. */
  findSynchronous(): Promise<PatroniNode>
  /** Resolves to the primary when all other nodes stream from it, in synchronous mode also as one that commits wait for. */
  waitUntilReplicated(): Promise<PatroniNode>
  /** Makes another node the primary, as `patronictl switchover` does. */
  switchOver(): Promise<void>
  stop(): Promise<void>
}

/** Starts etcd, three nodes of Patroni and HAProxy on free local ports, in a temporary folder. */
export async function startPatroni({ synchronous = false } = {}): Promise<PatroniCluster> {
  const bin = (await findPostgres()) as string
  const owner: Owner = findOwner()
  const folder = await mkdtemp(join(tmpdir(), 'slipway-patroni-'))
  const running: (() => Promise<void>)[] = []
  const stop = async () => {
    for (const end of running.splice(0).reverse()) await end()
    await rm(folder, { recursive: true, force: true })
  }
  const run = (path: string, args: string[], log: string): RunningProgram => {
    const program = startProgram({ path, args, folder, owner, log })
    running.push(program.kill)
    return program
  }
  const write = async (name: string, text: string) => {
    const path = join(folder, name)
    await writeFile(path, text)
    return path
  }
  try {
    if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid ?? owner.uid)
    const [client, peer] = [await findPort(), await findPort()]
    const [clientUrl, peerUrl] = [client, peer].map((port) => `http://127.0.0.1:${port}`) as [string, string]
    const etcd = [
      ...['--name', 'etcd', '--data-dir', join(folder, 'etcd'), '--initial-cluster', `etcd=${peerUrl}`],
      ...['--listen-client-urls', clientUrl, '--advertise-client-urls', clientUrl],
      ...['--listen-peer-urls', peerUrl, '--initial-advertise-peer-urls', peerUrl],
    ]
    run(PROGRAMS.etcd, etcd, 'etcd.log')
    await waitUntil('etcd answers', () => responds(`${clientUrl}/health`))

    const ports: NodePorts[] = []
    for (const name of ['node1', 'node2', 'node3'])
      ports.push({ name, postgres: await findPort(), rest: await findPort() })
    const nodes: PatroniNode[] = []
    for (const node of ports) {
      const settings = describePatroni({ node, etcd: client, folder, bin, synchronous })
      const file = await write(`${node.name}.yml`, settings)
      const created = createNode(node, { file, folder, run })
      running.push(created.kill)
      nodes.push(created)
      created.start()
    }
    const [primary, replica] = [await findPort(), await findPort()]
    run(
      PROGRAMS.haproxy,
      ['-db', '-f', await write('haproxy.cfg', describeHaproxy({ nodes: ports, primary, replica }))],
      'haproxy.log',
    )
    const at = (places: string) => `postgres://postgres@${places}/postgres`
    const cluster: PatroniCluster = {
      nodes,
      url: `${at(ports.map(({ postgres }) => `127.0.0.1:${postgres}`).join(','))}?target_session_attrs=primary`,
      proxyUrl: at(`127.0.0.1:${primary}`),
      proxyReplicaUrl: at(`127.0.0.1:${replica}`),
      folder,
      findPrimary: () => findPrimary(nodes),
      findSynchronous: async () => {
        const primary = await waitUntilReplicated(nodes, synchronous)
        const members = await listMembers(primary)
        const { name } = members.find(({ role }) => role === 'sync_standby') as Member
        return nodes.find((node) => node.name === name) as PatroniNode
      },
      waitUntilReplicated: () => waitUntilReplicated(nodes, synchronous),
      switchOver: async () => {
        const leader = await waitUntilReplicated(nodes, synchronous)
        const body = JSON.stringify({ leader: leader.name })
        const response = await fetch(`${leader.restUrl}/switchover`, { method: 'POST', body })
        if (!response.ok) throw new Error(`Patroni refuses the switchover: ${await response.text()}`)
      },
      stop,
    }
    await cluster.waitUntilReplicated()
    return cluster
  } catch (error) {
    await stop()
    throw error
  }
}

interface NodeOptions {
  file: string
  folder: string
  run(path: string, args: string[], log: string): RunningProgram
}

function createNode({ name, postgres, rest }: NodePorts, { file, folder, run }: NodeOptions): PatroniNode {
  let patroni: RunningProgram | undefined
  let paused: number[] = []
  const listPids = async () => {
    const text = await readFile(join(folder, name, 'postmaster.pid'), 'utf8').catch(() => '')
    const server = Number(text.split('\n', 1)[0])
    return [...(patroni ? [patroni.pid] : []), ...(server > 0 ? await listTree(server) : [])]
  }
  return {
    name,
    url: `postgres://postgres@127.0.0.1:${postgres}/postgres`,
    restUrl: `http://127.0.0.1:${rest}`,
    start: () => {
      patroni = run(PROGRAMS.patroni, [file], `${name}.log`)
    },
    kill: async () => {
      if (!patroni) return
      signalAll(await listPids(), 'SIGKILL')
      await patroni.kill()
      patroni = undefined
    },
    pause: async () => {
      paused = await listPids()
      signalAll(paused, 'SIGSTOP')
    },
    resume: () => signalAll(paused.splice(0), 'SIGCONT'),
    holdReplication: async () => {
      const senders: number[] = []
      for (const pid of await listPids())
        if ((await readFile(`/proc/${pid}/cmdline`, 'utf8')).includes('walsender')) senders.push(pid)
      signalAll(senders, 'SIGSTOP')
    },
  }
}

const responds = (url: string) =>
  fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    ({ ok }) => ok,
    () => false,
  )

async function findPrimary(nodes: readonly PatroniNode[]): Promise<PatroniNode | undefined> {
  const areLeaders = await Promise.all(nodes.map(({ restUrl }) => responds(`${restUrl}/primary`)))
  return nodes.find((_, index) => areLeaders[index])
}

interface Member {
  name: string
  role: string
  state: string
  lag?: number | string
}

async function listMembers({ restUrl }: PatroniNode): Promise<Member[]> {
  const answer = await fetch(`${restUrl}/cluster`, { signal: AbortSignal.timeout(1_000) }).catch(() => null)
  return (((await answer?.json()) ?? { members: [] }) as { members: Member[] }).members
}

async function waitUntilReplicated(nodes: readonly PatroniNode[], synchronous: boolean): Promise<PatroniNode> {
  let primary: PatroniNode | undefined
  const isReplicated = async () => {
    primary = await findPrimary(nodes)
    if (!primary) return false
    const members = await listMembers(primary)
    const others = members.filter(({ name }) => name !== primary?.name)
    const stream = others.filter(({ state, lag }) => state === 'running' && lag === 0)
    return stream.length === nodes.length - 1 && (!synchronous || stream.some(({ role }) => role === 'sync_standby'))
  }
  await waitUntil('the nodes of Patroni follow a primary', isReplicated, { timeoutMs: START_MS, pauseMs: 100 })
  return primary as unknown as PatroniNode
}
