/**
 * Options of an LRUCache for at most `count` entries of equal size. With its option `max` the cache allocates the memory
 * of all of them when it is created, which takes milliseconds.
 */
export const limitEntries = (count: number): { maxSize: number; sizeCalculation: () => number } => ({
  maxSize: count,
  sizeCalculation: () => 1,
})
