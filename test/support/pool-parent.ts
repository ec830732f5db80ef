// A process with a pool whose child is busy: a test kills it, and looks for the child.
import { createTestPool } from './child-pool.ts'

const pool = createTestPool({ limits: { startMs: 60_000, wallMs: 600_000, cpuMs: 600_000, bytes: 1e9 } })
const { pid } = (await pool.run({ do: 'echo' })) as { pid: number }
void pool.run({ do: process.argv[2] as 'spin' })
process.stdout.write(`${pid}\n`)
