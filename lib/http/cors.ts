/** The headers by which browsers let pages of other origins read the API. */
export interface Cors {
  /** Whether the headers depend on the request's origin, so that caches must keep a response for each. */
  readonly varies: boolean
  /** Names and values, alternately, for a response to a request with this Origin header. */
  headersFor(origin: string | undefined): readonly string[]
}

/** allowed: origins, or `*` for all. exposed: names of the response headers that pages may read. */
export function createCors(allowed: readonly string[], exposed: readonly string[]): Cors {
  const expose = ['access-control-expose-headers', exposed.join(', ')]
  const allow = (origin: string) => ['access-control-allow-origin', origin, ...expose]
  if (allowed.includes('*')) {
    const forAll = allow('*')
    return { varies: false, headersFor: () => forAll }
  }
  const byOrigin = new Map(allowed.map((origin) => [origin, allow(origin)]))
  return { varies: true, headersFor: (origin = '') => byOrigin.get(origin) ?? expose }
}
