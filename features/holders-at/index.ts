import fp from 'fastify-plugin'
import { HoldersAt, type SumTransfers } from './holders-at.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Holders of tokens after earlier blocks: see docs/forensics.md. */
    holdersAt: HoldersAt
  }
}

/** Decorates the app with the holders after earlier blocks, which both mounts share. */
export default fp<{ sumTransfers: SumTransfers }>(
  async (app, { sumTransfers }) => {
    app.decorate('holdersAt', new HoldersAt(sumTransfers))
  },
  { name: 'holders-at' },
)
