// The seeded sequence of faults. It depends on the seed alone: a longer run begins like a shorter one.
import { Random } from '../indexer/fixtures/random.ts'
import { type Fault as NodeFault, faults as nodeFaults } from '../support/hostile/node.ts'

export const PROCESSES = ['api-1', 'api-2', 'indexer-1', 'indexer-2'] as const
/** The servers of a database: a primary and its streaming replica, or the coordinator and the workers of Citus. */
const DATABASE_SERVERS = {
  postgres: ['postgres', 'replica'],
  citus: ['postgres', 'worker-1', 'worker-2'],
} as const
export const NODES = ['node-1', 'node-2'] as const

export type ProcessName = (typeof PROCESSES)[number]
export type DatabaseKind = keyof typeof DATABASE_SERVERS
export type DatabaseServer = (typeof DATABASE_SERVERS)[DatabaseKind][number]
export type ServerName = DatabaseServer | 'redis'
/** What is reached through a link. */
export type LinkName = ServerName | 'storage'
export type NodeName = (typeof NODES)[number]

interface Lasting {
  /** When it begins, in milliseconds from the first request. */
  at: number
  /** How long it lasts; 0: it is over at once. */
  ms: number
}

export type Fault = Lasting &
  (
    | { kind: 'kill' | 'pause'; target: ProcessName | ServerName }
    /** Connections end; for as long as it lasts, new ones are refused. */
    | { kind: 'cut'; target: LinkName }
    /** Connections stay, and carry nothing for as long as it lasts. */
    | { kind: 'stall'; target: LinkName }
    /** The server itself ends the sessions of the service. */
    | { kind: 'end sessions'; target: 'postgres' | 'redis' }
    | { kind: 'full disk'; target: 'postgres' }
    /** The clock of a process is wrong by so many seconds. */
    | { kind: 'clock'; target: ProcessName; seconds: number }
    | { kind: 'node'; target: NodeName; share: number; faults: readonly NodeFault[] }
    /** The head of both nodes stands still. */
    | { kind: 'lag'; target: 'nodes' }
    /** As deep as this part of what may be replaced. */
    | { kind: 'reorg'; target: 'chain'; depth: number }
    /** A process of one version is stopped, and one of the other version is started in its place. */
    | { kind: 'replace'; target: ProcessName; version: Version }
  )

/** Of the program: this one, or the other one of a rolling upgrade. */
export type Version = 'this' | 'other'

export type FaultKind = Fault['kind']
/** Kinds that come at random. */
export type DrawnKind = Exclude<FaultKind, 'replace'>

const FIRST_MS = 5_000
const PAUSE_MS = [2_000, 7_000] as const
/** After a fault, its target is left alone for so long that it can recover. */
const RECOVERY_MS = 5_000
const DRAWS = 100

/** Weights of the kinds. */
const WEIGHTS: readonly (readonly [DrawnKind, number])[] = [
  ['kill', 26],
  ['pause', 16],
  ['cut', 10],
  ['stall', 6],
  ['end sessions', 8],
  ['node', 12],
  ['lag', 3],
  ['reorg', 14],
  ['full disk', 4],
  ['clock', 4],
]

/** How a node behaves: the part of its answers that is disturbed, and how. */
const MOODS: readonly { share: number; faults: readonly NodeFault[] }[] = [
  { share: 0.1, faults: nodeFaults },
  { share: 0.3, faults: nodeFaults },
  { share: 0.6, faults: ['limited'] },
  { share: 0.6, faults: ['late'] },
  { share: 1, faults: ['broken'] },
]

/** All faults that begin and end within a run of this length. No disk of Citus is full: that one is not on a disk of its own. */
export function planFaults(seed: number, durationMs: number, database: DatabaseKind = 'postgres'): Fault[] {
  const random = new Random(seed)
  const busyUntil = new Map<string, number>()
  const planned: Fault[] = []
  for (let at = FIRST_MS; at < durationMs; at += random.between(...PAUSE_MS)) {
    const fault = drawFault(random, at, busyUntil, database)
    if (!fault) continue
    const end = at + fault.ms
    busyUntil.set(fault.target, end + RECOVERY_MS)
    if (end <= durationMs) planned.push(fault)
  }
  return planned
}

/** A process is replaced within this time. */
const REPLACED_MS = 12_000

/** Rolling upgrades to this version and back to the other one, in turn, which end with this version. */
export function planUpgrades(durationMs: number): Fault[] {
  const steps: Fault[] = []
  const upgrade = (version: Version) => {
    for (const target of PROCESSES)
      steps.push({ kind: 'replace', target, version, at: FIRST_MS + steps.length * REPLACED_MS, ms: 0 })
  }
  upgrade('this')
  const bothWays = 2 * PROCESSES.length * REPLACED_MS
  for (let left = durationMs - FIRST_MS - bothWays / 2; left >= bothWays; left -= bothWays) {
    upgrade('other')
    upgrade('this')
  }
  return steps
}

/** One whose target has none; undefined if all drawn targets have. */
function drawFault(
  random: Random,
  at: number,
  busyUntil: ReadonlyMap<string, number>,
  database: DatabaseKind,
): Fault | undefined {
  const weights = database === 'citus' ? WEIGHTS.filter(([kind]) => kind !== 'full disk') : WEIGHTS
  for (let left = DRAWS; left > 0; left--) {
    const fault = { at, ...makeFault(drawKind(random, weights), random, database) } as Fault
    if ((busyUntil.get(fault.target) ?? 0) <= at) return fault
  }
  return undefined
}

function drawKind(random: Random, weights: typeof WEIGHTS): DrawnKind {
  let at = random.next() * weights.reduce((sum, [, weight]) => sum + weight, 0)
  const drawn = weights.find(([, weight]) => {
    at -= weight
    return at < 0
  })
  return (drawn ?? weights[0]!)[0]
}

type WithoutTime<F> = F extends Fault ? Omit<F, 'at'> : never

function makeFault(kind: DrawnKind, random: Random, database: DatabaseKind): WithoutTime<Fault> {
  const servers: ServerName[] = [...DATABASE_SERVERS[database], 'redis']
  const links: LinkName[] = [...servers, 'storage']
  const between = (from: number, to: number) => random.between(from * 1_000, to * 1_000)
  const anything = () => random.pick([...PROCESSES, ...servers])
  switch (kind) {
    case 'kill':
      return { kind, target: anything(), ms: random.chance(0.4) ? 0 : between(0, 8) }
    case 'pause': {
      const target = anything()
      // An indexer loses its lease after ten seconds.
      const most = target.startsWith('indexer') ? 20 : 8
      return { kind, target, ms: between(0.5, most) }
    }
    case 'cut':
      return { kind, target: random.pick(links), ms: random.chance(0.5) ? 0 : between(0.5, 6) }
    case 'stall':
      return { kind, target: random.pick(links), ms: between(0.5, 8) }
    case 'end sessions':
      return { kind, target: random.pick(['postgres', 'redis']), ms: 0 }
    case 'full disk':
      return { kind, target: 'postgres', ms: between(2, 8) }
    case 'clock': {
      const seconds = random.between(20, 600) * random.pick([-1, 1])
      return { kind, target: random.pick(PROCESSES), seconds, ms: between(3, 15) }
    }
    case 'node':
      return { kind, target: random.pick(NODES), ...random.pick(MOODS), ms: between(3, 20) }
    case 'lag':
      return { kind, target: 'nodes', ms: between(2, 10) }
    case 'reorg':
      return { kind, target: 'chain', depth: random.next(), ms: 0 }
  }
}

/** One line for people. */
export function describeFault(fault: Fault): string {
  const seconds = `${(fault.ms / 1_000).toFixed(1)} s`
  switch (fault.kind) {
    case 'kill':
      return `kill ${fault.target}, start it after ${seconds}`
    case 'pause':
      return `pause ${fault.target} for ${seconds}`
    case 'cut':
      return `cut connections to ${fault.target}${fault.ms > 0 ? `, and refuse new ones for ${seconds}` : ''}`
    case 'stall':
      return `stall connections to ${fault.target} for ${seconds}`
    case 'end sessions':
      return `end all sessions at ${fault.target}`
    case 'full disk':
      return `fill the disk of ${fault.target} for ${seconds}`
    case 'clock':
      return `set the clock of ${fault.target} ${Math.abs(fault.seconds)} s ${fault.seconds < 0 ? 'back' : 'ahead'} for ${seconds}`
    case 'node':
      return `${fault.target}: ${Math.round(fault.share * 100)} % of answers ${fault.faults.join('/')} for ${seconds}`
    case 'lag':
      return `the head of both nodes stands still for ${seconds}`
    case 'replace':
      return `replace ${fault.target} by ${fault.version} version`
    case 'reorg':
      return `reorg of ${Math.round(fault.depth * 100)} % of the blocks that are not final`
  }
}
