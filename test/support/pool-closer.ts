// A process that closes its pool while the result of a job waits to be read, and says so once the pool is closed.
import { createTestPool } from './child-pool.ts'

const RESULT_MS = 1_000

const pool = createTestPool()
await pool.run({ do: 'echo' })
void pool.run({ do: 'echo' })
// The child answers, and nothing of it is read here.
Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RESULT_MS)
await pool.close()
process.stdout.write('closed')
