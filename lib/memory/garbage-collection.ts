// countBuffersAsHeap saves 5 to 9 % of a backfill (`npm run bench:indexer`), for 100 MB. allocateYoung saves a fifth of a cold read
// in one process of three or four (`npm run bench:reads -- --only cold`).
import { setFlagsFromString } from 'node:v8'

/**
 * V8 allocates objects in the old generation if those of the same line of code survived its first collections. Under the first load
 * of a service it sometimes decides so for a part of a request. That part, though dead soon, then keeps the whole request until the
 * old generation is collected: requests promote up to 10 KB each instead of 0.4.
 */
export function allocateYoung(): void {
  setFlagsFromString('--no-allocation-site-pretenuring')
}

/**
 * By default V8 collects the garbage of a whole heap each time that some 32 MB of buffers were allocated, which is less than the
 * chunks of one large response. With this flag their size counts like that of objects, in proportion to what is in use. Node 22
 * lacks the flag.
 */
export function countBuffersAsHeap(): void {
  const [v8] = process.versions.v8.split('.')
  if (Number(v8) >= 13) setFlagsFromString('--external-memory-accounted-in-global-limit')
}
