import { readFile } from 'node:fs/promises'
import type { Market } from './market.ts'
import { get, type Load } from './processes.ts'
import type { Report } from './report.ts'

const URLS = 1_000
const CONNECTIONS = 64
const MS = 20_000
/** In MB. */
const LIMIT = 300

/** Memory of a service that answers 1,000 popular URLs: tokens, their charts, trades and holders, and lists. */
export async function measureMemory(
  load: Load,
  { port, child, sample, workers }: Market,
  report: Report,
): Promise<void> {
  report.title('Memory')
  const tokens = sample.cold.slice(0, URLS / 4 - sample.hot['token list']!.length)
  const paths = tokens.flatMap((path) => [path, `${path}/chart?interval=1m`, `${path}/trades`, `${path}/holders`])
  const urls = [...Object.values(sample.hot).flat(), ...paths].slice(0, URLS)
  await load({ port, requests: urls.map((path) => get(path)), connections: CONNECTIONS, ms: MS })
  const pids = [child.pid ?? 0, ...(workers > 1 ? await listChildren(child.pid ?? 0) : [])]
  const sizes = await Promise.all(pids.map(readResident))
  const name = workers > 1 ? `${urls.length} URLs, all workers` : `${urls.length} URLs`
  report.memory(
    name,
    sizes.reduce((sum, size) => sum + size, 0),
    LIMIT * workers,
  )
}

async function listChildren(pid: number): Promise<number[]> {
  const listed = await readFile(`/proc/${pid}/task/${pid}/children`, 'utf8')
  return listed.trim().split(' ').map(Number)
}

/** Resident memory of a process in MB. */
async function readResident(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)?.[1]) / 1_024
}
