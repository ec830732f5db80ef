import { readFileSync } from 'node:fs'

export interface Usage {
  rssBytes: number
  cpuMs: number
}

/** The kernel reports CPU time in hundredths of a second, whatever its own clock is. */
const TICK_MS = 10

/** Memory and CPU time of a process, from /proc; null where there is no /proc, or no such process. */
export function readUsage(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field is the name in parentheses, and may hold spaces: count from its end.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return { rssBytes: Number(kilobytes ?? 0) * 1024, cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS }
  } catch {
    return null
  }
}
