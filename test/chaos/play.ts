import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { followRoom } from '../acceptance/support/follower.ts'
import { Random } from '../indexer/fixtures/random.ts'
import { RandomClients } from '../indexer/fixtures/random-clients.ts'
import { waitUntil } from '../support/waits/wait-until.ts'
import { runChecks, waitUntilSettled } from './checks.ts'
import { Clients } from './clients.ts'
import { applyFault } from './faults.ts'
import { followList } from './list-follower.ts'
import { Market } from './market.ts'
import { Person } from './person.ts'
import { type DatabaseKind, describeFault, type Fault, planFaults, planUpgrades } from './plan.ts'
import { readAlways } from './readers.ts'
import { startWorld } from './world.ts'
import { Written } from './written.ts'

const PEOPLE = 6
const READERS = 2
const ROOMS = 3
const FIRST_ROUNDS = 12
/** Writes go on for so long after the faults: none of them may fail. */
const CALM_MS = 5_000
const SHOWN = 20
const LISTS = [
  { fields: { sort: 'newest', limit: 50 }, path: '/tokens?sort=newest&limit=50' },
  { fields: { sort: 'volume', limit: 20 }, path: '/tokens?sort=volume&limit=20' },
]

export interface ChaosOptions {
  minutes: number
  seed: number
  /** Keep the logs. */
  keep: boolean
  /** Ends the run, and everything that it started. */
  stop: AbortSignal
  /** The folder of another version of the service: instead of faults, processes of one version replace those of the other. */
  upgrade?: string | undefined
  databaseKind: DatabaseKind
}

/** Returns whether everything held. */
export async function playChaos({ keep, stop, ...options }: ChaosOptions): Promise<boolean> {
  const teardowns: (() => unknown)[] = []
  const t = { teardown: (work: () => unknown) => void teardowns.unshift(work) }
  const folder = await mkdtemp(join(tmpdir(), 'slipway-chaos-'))
  if (!keep) t.teardown(() => rm(folder, { recursive: true, force: true }))
  const interrupted = Promise.withResolvers<never>()
  interrupted.promise.catch(() => {})
  stop.addEventListener('abort', () => interrupted.reject(new Error('Interrupted')))
  try {
    return await Promise.race([play(t, { ...options, folder }), interrupted.promise])
  } finally {
    for (const teardown of teardowns)
      await (async () => teardown())().catch((error: Error) => console.error(error.message))
    if (keep) console.log(`Logs are in ${folder}`)
  }
}

type Teardown = { teardown(work: () => unknown): void }

async function play(
  t: Teardown,
  { minutes, seed, folder, upgrade, databaseKind }: Omit<ChaosOptions, 'keep' | 'stop'> & { folder: string },
) {
  const start = performance.now()
  const say = (line: string) => {
    const seconds = Math.round((performance.now() - start) / 1_000)
    console.log(`${String(Math.floor(seconds / 60)).padStart(3)}:${String(seconds % 60).padStart(2, '0')} ${line}`)
  }
  say(`seed ${seed}, ${minutes} minutes`)
  const random = new Random(seed).fork()
  const world = await startWorld(t, { folder, databaseKind, program: upgrade })
  const { chain, processes } = world
  const clients = new Clients([processes['api-1'], processes['api-2']])
  const market = await Market.open(chain, random.fork())
  const syncs = new RandomClients(chain, world.environment, random.fork())
  const socketRandom = random.fork()
  const pickUrl = () => clients.pick(socketRandom).url
  const rooms = await Promise.all(Array.from({ length: ROOMS }, () => followRoom(t, pickUrl, 'trades')))
  for (let left = FIRST_ROUNDS; left > 0; left--) await market.playRound()
  const tokens = await readFirstTokens(processes['api-1'].url)
  await market.finalize()
  const lists = LISTS.map(({ fields, path }) => ({ follower: followList(t, pickUrl, fields), path }))
  const written = new Written()
  const people = Array.from(
    { length: PEOPLE },
    (_, index) => new Person({ name: `person-${index + 1}`, clients, written, random: random.fork(), tokens }),
  )
  const servers = databaseKind === 'citus' ? 'Citus with two workers' : 'PostgreSQL with a replica'
  say(`everything runs: ${servers}, Redis, a chain behind two nodes, two APIs, two indexers`)

  const ending = new AbortController()
  const { signal } = ending
  const sync = () => {
    const api = clients.pick(random)
    syncs.sync(api.isUp ? api.current : null)
  }
  const reading = Array.from({ length: READERS }, () => readAlways(clients, { random: random.fork(), tokens, signal }))
  const writing = people.map((person) => person.write(people))
  const trading = market.trade(syncs, sync, signal)
  const failed = Promise.withResolvers<never>()
  for (const work of [...reading, ...writing, trading]) work.catch(failed.reject)
  failed.promise.catch(() => {})

  const began = performance.now()
  /** The last fault of each target: on a busy machine one may last longer than planned, and the next one waits for it. */
  const running = new Map<string, Promise<void>>()
  const apply = async (fault: Fault, previous: Promise<void> | undefined) => {
    await previous
    say(describeFault(fault))
    const note = await applyFault(fault, { world, market, folder, other: upgrade, random: random.fork() })
    if (note) say(`  ${note}`)
  }
  // Nothing fails in a rolling upgrade.
  clients.isCalm = upgrade !== undefined
  const durationMs = minutes * 60_000
  for (const fault of upgrade ? planUpgrades(durationMs) : planFaults(seed, durationMs, databaseKind)) {
    await Promise.race([sleep(Math.max(0, fault.at - (performance.now() - began))), failed.promise])
    // One process is replaced after another.
    const of = fault.kind === 'replace' ? fault.kind : fault.target
    const applied = apply(fault, running.get(of))
    applied.catch(failed.reject)
    running.set(of, applied)
  }
  await Promise.race([Promise.all(running.values()), failed.promise])
  say('all faults are over')
  const unsettled = await waitUntilSettled(world)
  for (const line of unsettled) say(`not settled: ${line}`)
  if (unsettled.length > 0) return false
  say('settled; clients go on for a while')
  clients.isCalm = true
  await sleep(CALM_MS)
  ending.abort()
  for (const person of people) person.stop()
  await Promise.all([...reading, ...writing, trading, syncs.settle()])
  await market.finalize()
  if ((await waitUntilSettled(world)).length > 0) return false
  say(
    `checking; ${[...market.operations.values()].reduce((sum, one) => sum + one, 0)} operations, ${market.reorgs} reorgs`,
  )

  let holds = true
  for await (const { name, problems, note } of runChecks({ world, clients, syncs, written, rooms, lists })) {
    say(`${problems.length === 0 ? 'ok    ' : 'FAILED'} ${name}${note ? ` (${note})` : ''}`)
    for (const problem of problems.slice(0, SHOWN)) console.log(`         ${problem}`)
    if (problems.length > SHOWN) console.log(`         and ${problems.length - SHOWN} more`)
    holds &&= problems.length === 0
  }
  say(holds ? `everything holds (seed ${seed})` : `something does not hold: repeat with --seed ${seed}`)
  return holds
}

/** Tokens that exist from the start. */
async function readFirstTokens(url: string): Promise<string[]> {
  let tokens: string[] = []
  const areThere = async () => {
    const response = await fetch(`${url}/tokens?sort=newest&limit=10`)
    const { data } = (await response.json()) as { data: { items: { address: string }[] } | null }
    tokens = data?.items.map(({ address }) => address) ?? []
    return tokens.length >= 2
  }
  await waitUntil('the first tokens are indexed', areThere)
  return tokens
}
