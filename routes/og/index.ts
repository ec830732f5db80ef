import type { FastifyPluginAsync } from 'fastify'
import getTokenCard from './get-token-card.ts'

/** Pictures for link previews. */
const og: FastifyPluginAsync = async (app) => {
  app.register(getTokenCard)
}

export default og
