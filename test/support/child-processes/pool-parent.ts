// A process whose pool has a busy child: a test kills the process and checks that the child ends.
import { createTestPool } from './pool.ts'

const pool = createTestPool({ limits: { startMs: 60_000, wallMs: 600_000, cpuMs: 600_000, bytes: 1e9 } })
const { pid } = (await pool.run({ do: 'echo' })) as { pid: number }
void pool.run({ do: process.argv[2] as 'spin' })
process.stdout.write(`${pid}\n`)
