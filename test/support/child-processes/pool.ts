import { fileURLToPath } from 'node:url'
import { type ChildPool, createChildPool, type PoolOptions } from '../../../lib/child-pool/child-pool.ts'
import type { Misbehaviour } from './misbehaving-child.ts'

const root = fileURLToPath(new URL('../../..', import.meta.url))

export const LIMITS = { startMs: 60_000, wallMs: 60_000, cpuMs: 300, bytes: 256 * 1024 * 1024 }

/** A pool of child processes that misbehave as requested, with low limits. */
export const createTestPool = (
  change: Partial<PoolOptions> = {},
): ChildPool<{ do: Misbehaviour; bytes?: Uint8Array }, unknown> =>
  createChildPool({
    entry: new URL('./misbehaving-child.ts', import.meta.url),
    readable: [`${root}lib`, `${root}test/support/child-processes`, `${root}package.json`],
    heapMb: 64,
    limits: LIMITS,
    maxChildren: 1,
    queue: { total: 8, perOwner: 4, timeoutMs: 60_000 },
    idleMs: 60_000,
    ...change,
  })
