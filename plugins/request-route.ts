import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'

declare module 'fastify' {
  interface FastifyRequest {
    /** The request's routeOptions, read once: each read of those makes a new object. */
    readonly route: FastifyRequest['routeOptions']
    foundRoute: FastifyRequest['routeOptions'] | null
  }
}

/** Decorates requests with `route`. Register it before every plugin that reads it. */
export default fp(
  async (app) => {
    app.decorateRequest('foundRoute', null)
    app.decorateRequest('route', {
      getter(this: FastifyRequest) {
        const route = this.foundRoute ?? this.routeOptions
        this.foundRoute = route
        return route
      },
    })
  },
  { name: 'request-route' },
)
