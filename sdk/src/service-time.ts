/** By client, the time of its service in milliseconds at the start of performance.now(). */
const origins = new WeakMap<object, number>()

/**
 * Takes the time of a response, its header Date. The clock of this machine may be wrong, and the times that the service and the chain
 * compare are not its own. A response that was cached or slow is old, but none is early: the latest time counts.
 */
export function learnTime(client: object, date: string | null): void {
  const time = Date.parse(date ?? '') - performance.now()
  if (time > (origins.get(client) ?? Number.NEGATIVE_INFINITY)) origins.set(client, time)
}

/** The time of the client's service in milliseconds since 1970; until its first response, by the clock of this machine. */
export function readTime(client: object): number {
  const origin = origins.get(client)
  return origin === undefined ? Date.now() : Math.round(origin + performance.now())
}
