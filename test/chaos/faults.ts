import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { createClient } from 'redis'
import type { Random } from '../indexer/fixtures/random.ts'
import { on, result } from '../support/hostile/node.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { setClock } from './clock.ts'
import type { Market } from './market.ts'
import { type Fault, NODES, PROCESSES, type ProcessName, type ServerName } from './plan.ts'
import { type World, withClient } from './world.ts'

export interface FaultContext {
  world: World
  market: Market
  folder: string
  /** The program of the other version. */
  other: string | undefined
  /** For the nodes, whose faults depend on the number of requests as well. */
  random: Random
}

/** Resolves when it is over. Returns a note about it, such as why it was skipped. */
export async function applyFault(fault: Fault, context: FaultContext): Promise<string | undefined> {
  const { world, market, other } = context
  const { ms } = fault
  switch (fault.kind) {
    case 'kill':
      return isServer(fault.target)
        ? killServer(world, fault.target, ms)
        : world.processes[fault.target].killFor(ms).then(none)
    case 'pause':
      return isServer(fault.target)
        ? pauseServer(world, fault.target, ms)
        : world.processes[fault.target].pauseFor(ms).then(none)
    case 'cut': {
      const link = world.links.get(fault.target)!
      if (ms > 0) link.refuse()
      link.cut()
      await sleep(ms)
      return void link.restore()
    }
    case 'stall': {
      const link = world.links.get(fault.target)!
      link.stall()
      await sleep(ms)
      return void link.restore()
    }
    case 'end sessions':
      return fault.target === 'redis' ? endRedisSessions(world) : endPostgresSessions(world)
    case 'full disk':
      return fillDisk(world, ms)
    case 'clock':
      return setClockFor(context, fault.target, fault.seconds, ms)
    case 'node': {
      const next = () => context.random.next()
      const { share, faults } = fault
      world.nodes[fault.target].disturb({ share, faults, random: next, lateMs: 1_000 })
      await sleep(ms)
      return void world.nodes[fault.target].disturb(null)
    }
    case 'lag':
      return holdHead(world, ms)
    case 'replace':
      return world.processes[fault.target].replace(fault.version === 'this' ? undefined : other).then(none)
    case 'reorg':
      return void market.reorganize(fault.depth)
  }
}

const none = () => undefined
const isServer = (target: ProcessName | ServerName): target is ServerName =>
  !(PROCESSES as readonly string[]).includes(target)

async function killServer({ database, redis }: World, target: ServerName, ms: number): Promise<undefined> {
  if (target === 'redis') {
    await redis.stop()
    await sleep(ms)
    return void (await redis.start())
  }
  const { server } = database.members.get(target)!
  // An immediate shutdown: it recovers from its log when it starts.
  await server.kill()
  await sleep(ms)
  return void (await server.start())
}

async function pauseServer({ database, redis }: World, target: ServerName, ms: number): Promise<undefined> {
  if (target === 'redis') {
    redis.signal('SIGSTOP')
    await sleep(ms)
    return void redis.signal('SIGCONT')
  }
  const { server } = database.members.get(target)!
  await server.pause()
  await sleep(ms)
  return void server.resume()
}

const endPostgresSessions = ({ database }: World) =>
  withClient(database.url, async (client) => {
    await client.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
    )
    return undefined
  })

async function endRedisSessions({ redis }: World): Promise<undefined> {
  const client = createClient({ url: redis.url, disableOfflineQueue: true, socket: { reconnectStrategy: false } })
  client.on('error', () => {})
  await client.connect()
  for (const type of ['NORMAL', 'PUBSUB']) await client.sendCommand(['CLIENT', 'KILL', 'TYPE', type, 'SKIPME', 'yes'])
  client.destroy()
}

/** PostgreSQL ends if the full disk keeps it from recovering from an error. Then it is started again, as an operator would do. */
async function fillDisk({ database: { disk, members } }: World, ms: number): Promise<string | undefined> {
  if (!disk) return 'skipped: mounting a small disk is not permitted here'
  await disk.fill()
  await sleep(ms)
  await disk.free()
  let note: string | undefined
  const isUp = async () => {
    const { server } = members.get('postgres')!
    if (server.isRunning()) return server.answers()
    note = 'PostgreSQL had ended by itself, and was started again'
    await server.start()
    return true
  }
  await waitUntil('PostgreSQL answers with room on its disk', isUp)
  return note
}

async function setClockFor(
  { world, folder }: FaultContext,
  target: ProcessName,
  seconds: number,
  ms: number,
): Promise<undefined> {
  for (const [now, pause] of [
    [seconds, ms],
    [0, 0],
  ] as const) {
    setClock(join(folder, `${target}.clock`), now)
    world.processes[target].current.signal('SIGUSR2')
    await sleep(pause)
  }
}

/** Both nodes answer as before, but show no newer head, as nodes that fall behind. */
async function holdHead({ nodes, chain: { node } }: World, ms: number): Promise<undefined> {
  const height = await node.height()
  const heldHeight = async () => `0x${Math.min(height, await node.height()).toString(16)}`
  const rules = [
    on('eth_getBlockByNumber', async ({ method, params }, ask) =>
      params[0] === 'latest' ? ask({ method, params: [await heldHeight(), params[1]] }) : undefined,
    ),
    on('eth_blockNumber', async () => result(await heldHeight())),
  ]
  for (const name of NODES) nodes[name].follow(...rules)
  await sleep(ms)
  for (const name of NODES) nodes[name].follow()
}
