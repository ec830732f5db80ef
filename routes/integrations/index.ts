import type { FastifyPluginAsync } from 'fastify'
import * as adapterSchemas from '../../schemas/integrations/adapter.ts'
import * as coingeckoSchemas from '../../schemas/integrations/coingecko.ts'
import * as tokenListSchemas from '../../schemas/integrations/token-list.ts'
import * as udfSchemas from '../../schemas/integrations/udf.ts'
import type { Domain } from '../domain.ts'
import adapter from './adapter/index.ts'
import coingecko from './coingecko/index.ts'
import tokenList from './token-list/index.ts'
import udf from './udf/index.ts'

/** Feeds in third-party formats: no envelope, and the field names and units of those formats. */
const integrations: FastifyPluginAsync = async (app) => {
  app.register(adapter, {
    prefix: '/dexscreener',
    reader: 'dexScreener',
    title: 'DEX Screener',
    withDecimals: false,
  })
  app.register(adapter, {
    prefix: '/geckoterminal',
    reader: 'geckoTerminal',
    title: 'GeckoTerminal',
    withDecimals: true,
  })
  app.register(coingecko, { prefix: '/coingecko' })
  app.register(udf, { prefix: '/udf' })
  app.register(tokenList)
}

export default {
  plugin: integrations,
  prefix: '/integrations',
  tags: [{ name: 'Integrations', description: 'Feeds and lists in third-party formats; link previews.' }],
  schemas: [
    ...adapterSchemas.components,
    ...coingeckoSchemas.components,
    ...tokenListSchemas.components,
    ...udfSchemas.components,
  ],
} satisfies Domain
