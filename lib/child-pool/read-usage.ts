import { readFileSync } from 'node:fs'

export interface Usage {
  rssBytes: number
  cpuMs: number
}

/** /proc reports CPU time in 10 ms ticks on all kernels. */
const TICK_MS = 10

/** Resident memory and CPU time of a process; null without /proc or such a process. */
export function readUsage(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    // The second field, the name in parentheses, may contain spaces.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? []
    return { rssBytes: Number(kilobytes ?? 0) * 1024, cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS }
  } catch {
    return null
  }
}
