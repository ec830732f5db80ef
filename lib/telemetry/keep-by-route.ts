import type { FastifyRequest } from 'fastify'

/** Returns a function that makes a value for each route and method once, from the first request. */
export function keepByRoute<Value>(make: (request: FastifyRequest) => Value): (request: FastifyRequest) => Value {
  /** The key is the object of a route's config: finding it takes less time than joining names. */
  const routes = new Map<unknown, Map<string, Value>>()
  return (request) => {
    const { config } = request.route
    let byMethod = routes.get(config)
    if (!byMethod) {
      byMethod = new Map()
      routes.set(config, byMethod)
    }
    let value = byMethod.get(request.method)
    if (value === undefined) {
      value = make(request)
      byMethod.set(request.method, value)
    }
    return value
  }
}
