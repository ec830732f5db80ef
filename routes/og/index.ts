import type { FastifyPluginAsync } from 'fastify'
import type { Domain } from '../domain.ts'
import getProfitCard from './get-profit-card.ts'
import getTokenCard from './get-token-card.ts'

/** Images to share. */
const og: FastifyPluginAsync = async (app) => {
  app.register(getTokenCard)
  app.register(getProfitCard)
}

export default {
  plugin: og,
  prefix: '/og',
} satisfies Domain
