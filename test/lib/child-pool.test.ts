import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { isAppError } from '../../errors.ts'
import { createFairQueue } from '../../lib/child-pool/fair-queue.ts'
import { ChildError } from '../../lib/child-pool/start-child.ts'
import { until } from '../acceptance/support/service.ts'
import { createTestPool, LIMITS } from '../support/child-processes/pool.ts'

const failureOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'no failure',
    (error: unknown) => error,
  )
const isAlive = (pid: number) => existsSync(`/proc/${pid}/stat`)

t.test('a child starts with the first job, runs many jobs, and returns bytes unchanged', async (t) => {
  const pool = createTestPool()
  t.teardown(() => pool.close())
  t.equal(pool.children, 0)
  const bytes = new Uint8Array(3_000_000).map((_, at) => at % 251)
  const first = (await pool.run({ do: 'echo', bytes })) as { pid: number; bytes: Uint8Array }
  t.ok(Buffer.compare(first.bytes, bytes) === 0)
  const second = (await pool.run({ do: 'echo' })) as { pid: number }
  t.equal(second.pid, first.pid)
  t.equal(((await failureOf(pool.run({ do: 'throw' }))) as Error).message, 'no such picture')
  t.same(pool.counts, { started: 1, killed: { time: 0, memory: 0, crash: 0 } })
})

t.test('a child has no environment, and cannot read files other than code or spawn processes', async (t) => {
  const pool = createTestPool()
  t.teardown(() => pool.close())
  const denied = 'ERR_ACCESS_DENIED'
  t.same(await pool.run({ do: 'look' }), { environment: [], read: denied, spawn: denied })
})

// Only the child that spins may reach the limit of CPU time: on a busy machine the others need much of it, too.
for (const [does, reason, counted, cpuMs] of [
  ['abort', 'crash', 'crash', 60_000],
  ['spin', 'cpu', 'time', 300],
  ['grow', 'memory', 'memory', 60_000],
] as const) {
  t.test(`a job that makes its child ${does} fails (${reason}), and the next runs in a new child`, async (t) => {
    const pool = createTestPool({ limits: { startMs: 60_000, wallMs: 60_000, cpuMs, bytes: 256 * 1024 * 1024 } })
    t.teardown(() => pool.close())
    const { pid } = (await pool.run({ do: 'echo' })) as { pid: number }
    const [error, next] = await Promise.all([failureOf(pool.run({ do: does })), pool.run({ do: 'echo' })])
    t.ok(error instanceof ChildError && error.reason === reason && error.isJobFault, String(error))
    t.not((next as { pid: number }).pid, pid)
    await until(
      async () => isAlive(pid),
      (alive) => !alive,
      'it is gone',
    )
    t.equal(pool.counts.started, 2)
    t.match(pool.counts.killed, { [counted]: 1 })
  })
}

t.test('a job that misses its deadline without using its CPU time is not at fault', async (t) => {
  const limits = { startMs: 60_000, wallMs: 300, cpuMs: 60_000, bytes: 256 * 1024 * 1024 }
  const pool = createTestPool({ limits })
  t.teardown(() => pool.close())
  const error = await failureOf(pool.run({ do: 'hang' }))
  t.ok(error instanceof ChildError && error.reason === 'deadline' && !error.isJobFault, String(error))
  t.equal(pool.counts.killed.time, 1)
})

t.test('a job whose child is killed from outside is not at fault', async (t) => {
  const pool = createTestPool()
  t.teardown(() => pool.close())
  const { pid } = (await pool.run({ do: 'echo' })) as { pid: number }
  const running = failureOf(pool.run({ do: 'hang' }))
  process.kill(pid, 'SIGKILL')
  const error = await running
  t.ok(error instanceof ChildError && error.reason === 'lost' && !error.isJobFault, String(error))
})

t.test('a child that cannot start fails its job without fault of the job', async (t) => {
  const pool = createTestPool({ readable: [] })
  t.teardown(() => pool.close())
  const error = await failureOf(pool.run({ do: 'echo' }))
  t.ok(error instanceof ChildError && error.reason === 'start' && !error.isJobFault, String(error))
})

t.test('no job is given to a child that was idle for too long', async (t) => {
  const pool = createTestPool({ idleMs: 1, maxChildren: 1 })
  t.teardown(() => pool.close())
  const pids = new Set<number>()
  for (let n = 0; n < 12; n++) {
    pids.add(((await pool.run({ do: 'echo' })) as { pid: number }).pid)
    // So long that its timer has ended, and so short that its process has not.
    const until = performance.now() + 3
    while (performance.now() < until) await new Promise(setImmediate)
  }
  t.ok(pids.size > 1, `${pids.size} children`)
})

t.test('a full queue and a wait that times out are OVERLOADED with a retry delay', async (t) => {
  // On a busy machine a child may need the usual time of the processor to start, and would make place for the next job.
  const limits = { ...LIMITS, cpuMs: 60_000 }
  const pool = createTestPool({ limits, queue: { total: 3, perOwner: 2, timeoutMs: 1_500 } })
  await pool.run({ do: 'echo' })
  const busy = failureOf(pool.run({ do: 'hang' }, 'first'))
  const own = Array.from({ length: 3 }, () => failureOf(pool.run({ do: 'echo' }, 'first')))
  const third = await own[2]
  t.ok(isAppError(third, 'OVERLOADED') && (third.retryAfter ?? 0) >= 1, 'a third of the same owner')
  const others = Array.from({ length: 2 }, () => failureOf(pool.run({ do: 'echo' }, 'second')))
  t.ok(isAppError(await others[1], 'OVERLOADED'), 'a fourth of all')
  for (const late of [own[0], own[1], others[0]]) t.ok(isAppError(await late, 'OVERLOADED'), 'its turn did not come')
  await pool.close()
  t.ok((await busy) instanceof ChildError)
  t.equal(pool.children, 0)
})

t.test('the retry delay depends on the queue and on recent durations of jobs', async (t) => {
  const limits = { ...LIMITS, cpuMs: 60_000 }
  const retryAfter = async (jobs: number) => {
    const pool = createTestPool({ limits, queue: { total: 1, perOwner: 1, timeoutMs: 60_000 } })
    for (let done = 0; done < jobs; done++) await pool.run({ do: 'echo' })
    const busy = ['hang', 'echo'].map((does) => failureOf(pool.run({ do: does as 'hang' | 'echo' })))
    const late = await failureOf(pool.run({ do: 'echo' }))
    await pool.close()
    await Promise.all(busy)
    return isAppError(late, 'OVERLOADED') ? late.retryAfter : late
  }
  t.equal(await retryAfter(0), 2, 'two turns of a second each, before the first job')
  t.equal(await retryAfter(30), 1, 'short jobs')
})

t.test('the queue serves its owners in turn, regardless of their number of entries', async (t) => {
  const queue = createFairQueue<string>({ total: 10, perOwner: 4 })
  for (const entry of ['a1', 'a2', 'a3', 'a4']) queue.add('a', entry)
  t.notOk(queue.add('a', 'a5'))
  for (const owner of ['b', 'c']) queue.add(owner, `${owner}1`)
  queue.remove('a', 'a2')
  t.equal(queue.size, 5)
  t.same(
    Array.from({ length: 6 }, () => queue.take()),
    ['a1', 'b1', 'c1', 'a3', 'a4', undefined],
  )
})

t.test('closing a pool waits for a result that is arriving', async (t) => {
  const script = fileURLToPath(new URL('../support/child-processes/pool-closer.ts', import.meta.url))
  const closer = spawn(process.execPath, [script], { stdio: ['ignore', 'pipe', 'inherit'] })
  t.equal(String(await closer.stdout.toArray().then(Buffer.concat)), 'closed')
})

for (const does of ['hang', 'spin'] as const) {
  t.test(`a child with a job to ${does} ends when its parent is killed`, async (t) => {
    const script = fileURLToPath(new URL('../support/child-processes/pool-parent.ts', import.meta.url))
    const parent = spawn(process.execPath, [script, does], { stdio: ['ignore', 'pipe', 'inherit'] })
    t.teardown(() => parent.kill('SIGKILL'))
    const [text] = await once(parent.stdout, 'data')
    const pid = Number(String(text).trim())
    t.ok(isAlive(pid))
    parent.kill('SIGKILL')
    await until(
      async () => isAlive(pid),
      (alive) => !alive,
      'the child ends',
    )
  })
}
