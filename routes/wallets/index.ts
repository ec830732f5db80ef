import type { FastifyPluginAsync } from 'fastify'
import { components } from '../../schemas/wallets.ts'
import type { Domain } from '../domain.ts'
import getWalletStats from './get-wallet-stats.ts'

const wallets: FastifyPluginAsync = async (app) => {
  app.register(getWalletStats)
}

export default {
  plugin: wallets,
  prefix: '/wallets',
  tags: [{ name: 'Wallets', description: 'How wallets trade.' }],
  schemas: components,
} satisfies Domain
