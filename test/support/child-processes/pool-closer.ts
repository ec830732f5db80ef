// A process that closes its pool while the result of a job is unread, and reports when the pool is closed.
import { createTestPool } from './pool.ts'

const RESULT_MS = 1_000

const pool = createTestPool()
await pool.run({ do: 'echo' })
void pool.run({ do: 'echo' })
// Meanwhile the child responds, and this thread reads nothing.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RESULT_MS)
await pool.close()
process.stdout.write('closed')
