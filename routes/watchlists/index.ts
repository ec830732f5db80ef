import type { FastifyPluginAsync } from 'fastify'
import { watchlistReasons } from '../../db/queries/watchlists.ts'
import { requireWallet } from '../../plugins/auth.ts'
import { components } from '../../schemas/watchlists.ts'
import type { Domain } from '../domain.ts'
import listWatched from './list-watched.ts'
import watchToken from './watch-token.ts'

/** Tokens that a wallet watches. Only the wallet itself sees which. */
const watchlists: FastifyPluginAsync = async (app) => {
  app.addHook('onRequest', requireWallet)
  app.register(watchToken)
  app.register(listWatched)
}

export default {
  plugin: watchlists,
  prefix: '/watchlists',
  tags: [{ name: 'Watchlists', description: 'Tokens that a wallet watches, seen by itself only.' }],
  schemas: components,
  reasons: watchlistReasons,
} satisfies Domain
