import type { FastifyPluginAsync } from 'fastify'
import { forensicsReasons } from '../../db/queries/forensics/read-launch.ts'
import { components } from '../../schemas/forensics.ts'
import type { Domain } from '../domain.ts'
import getCreatorHistory from './get-creator-history.ts'
import listFirstBuyers from './list-first-buyers.ts'
import listTopTraders from './list-top-traders.ts'

/** Who bought a token at its launch, and how its traders and its creator did. The rules are in docs/forensics.md. */
const forensics: FastifyPluginAsync = async (app) => {
  app.register(listFirstBuyers)
  app.register(listTopTraders)
  app.register(getCreatorHistory)
}

export default {
  plugin: forensics,
  prefix: '/tokens',
  tags: [
    { name: 'Forensics', description: 'Who bought a token at its launch, and how its traders and its creator did.' },
  ],
  schemas: components,
  reasons: forensicsReasons,
} satisfies Domain
