import type { FastifyRequest } from 'fastify'
import fp from 'fastify-plugin'
import { writing } from '../db/lanes.ts'

const isWrite = ({ method }: FastifyRequest) => method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS'

/** Gives requests that write connections of their own, from authentication on: see docs/limits-and-degradation.md. */
export default fp(
  async (app) => {
    const enter = (request: FastifyRequest, _reply: unknown, done: () => void) =>
      isWrite(request) ? writing(done) : done()
    app.addHook('onRequest', enter)
    // Reading a body leaves the context of onRequest: it goes on from the socket's events.
    app.addHook('preValidation', enter)
  },
  { name: 'write-lane' },
)
