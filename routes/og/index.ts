import type { FastifyPluginAsync } from 'fastify'
import type { Domain } from '../domain.ts'
import getTokenCard from './get-token-card.ts'

/** Link preview images. */
const og: FastifyPluginAsync = async (app) => {
  app.register(getTokenCard)
}

export default {
  plugin: og,
  prefix: '/og',
} satisfies Domain
