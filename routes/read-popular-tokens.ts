import type { FastifyInstance } from 'fastify'
import { PopularTokens } from '../db/queries/popular-tokens.ts'

/** The tokens that every search considers. They may be old: see keepResult. */
export const readPopularTokens = (app: FastifyInstance): Promise<PopularTokens> =>
  app.keepResult('popular tokens', (previous?: PopularTokens) =>
    PopularTokens.read(app.databases.replicaReads, previous),
  )
