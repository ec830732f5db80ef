import type { FastifyPluginAsync } from 'fastify'
import { optionalWallet, requireWallet } from '../../plugins/auth.ts'
import * as stakingSchemas from '../../schemas/staking.ts'
import type { Domain } from '../domain.ts'
import getPool from './get-pool.ts'
import listPools from './list-pools.ts'
import listPositions from './list-positions.ts'
import syncStaking from './sync-staking.ts'

/** Fee staking: public reads of pools and positions, and receipt sync for authenticated wallets. */
const staking: FastifyPluginAsync = async (app) => {
  app.register(listPools)
  app.register(getPool)

  app.register(async (scope) => {
    scope.addHook('onRequest', optionalWallet)
    scope.register(listPositions)
  })

  app.register(async (scope) => {
    scope.addHook('onRequest', requireWallet)
    scope.register(syncStaking)
  })
}

export default {
  plugin: staking,
  prefix: '/staking',
  tags: [{ name: 'Staking', description: 'Fee staking: pools, positions, receipt sync.' }],
  schemas: stakingSchemas.components,
  channels: stakingSchemas.channels,
} satisfies Domain
