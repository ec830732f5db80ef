// Processor time of the components, from /proc; zero on systems without it.
import { readdir, readFile } from 'node:fs/promises'
import { listTree } from '../../test/support/servers/process-tree.ts'

/** Ticks of /proc a second, on every Linux that Node runs on. */
const TICKS = 100

/** How the processes of a component are found. */
export type Component = { pid: number } | { program: string; words: readonly string[] }

/** Processors in use since the last call; most: of the busiest process. */
export interface Usage {
  cores: number
  most: number
}

export class UsageMeter<Name extends string> {
  readonly #components: Record<Name, Component>
  #ticks = new Map<number, number>()
  #at = performance.now()

  constructor(components: Record<Name, Component>) {
    this.#components = components
  }

  async take(): Promise<Record<Name, Usage>> {
    const [now, ticks] = [performance.now(), new Map<number, number>()]
    const seconds = (now - this.#at) / 1_000
    const entries: [string, Usage][] = []
    for (const [name, component] of Object.entries<Component>(this.#components)) {
      let [cores, most] = [0, 0]
      for (const pid of await listProcesses(component)) {
        const used = await readTicks(pid)
        ticks.set(pid, used)
        // A process that is new has used its time since the last call.
        const own = Math.max(0, used - (this.#ticks.get(pid) ?? (this.#ticks.size === 0 ? used : 0))) / TICKS / seconds
        cores += own
        most = Math.max(most, own)
      }
      entries.push([name, { cores, most }])
    }
    this.#ticks = ticks
    this.#at = now
    return Object.fromEntries(entries) as Record<Name, Usage>
  }
}

async function listProcesses(component: Component): Promise<number[]> {
  if ('pid' in component) return listTree(component.pid).catch(() => [])
  const names = await readdir('/proc').catch(() => [])
  const found = await Promise.all(
    names.map(async (name) => {
      if (!/^\d+$/.test(name)) return []
      const line = (await readFile(`/proc/${name}/cmdline`, 'utf8').catch(() => '')).replaceAll('\0', ' ')
      const isOne = line.includes(component.program) && component.words.every((word) => line.includes(word))
      return isOne ? [Number(name)] : []
    }),
  )
  return found.flat()
}

async function readTicks(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  // The fields after the name, which may have spaces: user and system time are the 12th and 13th.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) || 0) + (Number(fields[12]) || 0)
}

/** Processors in use of the whole machine, other programs included. */
export class MachineMeter {
  #last: { busy: number; all: number } | undefined

  /** A share from 0 to 1. */
  async take(): Promise<number> {
    const [line = ''] = (await readFile('/proc/stat', 'utf8').catch(() => '')).split('\n')
    const [user = 0, nice = 0, system = 0, idle = 0, wait = 0, irq = 0, soft = 0, stolen = 0] = line
      .split(/\s+/)
      .slice(1)
      .map(Number)
    const busy = user + nice + system + irq + soft + stolen
    const now = { busy, all: busy + idle + wait }
    const last = this.#last ?? now
    this.#last = now
    return now.all === last.all ? 0 : (now.busy - last.busy) / (now.all - last.all)
  }
}
