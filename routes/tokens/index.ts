import type { FastifyPluginAsync } from 'fastify'
import { screenerReasons } from '../../features/screener/screener.ts'
import { optionalWallet, requireWallet } from '../../plugins/auth.ts'
import * as chartSchemas from '../../schemas/chart.ts'
import * as quoteSchemas from '../../schemas/quote.ts'
import * as revenueSchemas from '../../schemas/revenue.ts'
import * as tokensSchemas from '../../schemas/tokens.ts'
import type { Domain } from '../domain.ts'
import createToken from './create-token.ts'
import getChart from './get-chart.ts'
import getQuote from './get-quote.ts'
import getRevenue from './get-revenue.ts'
import getToken from './get-token.ts'
import getTokens from './get-tokens.ts'
import likeToken from './like-token.ts'
import listComments from './list-comments.ts'
import listHolders from './list-holders.ts'
import listTokens from './list-tokens.ts'
import listTrades from './list-trades.ts'
import patchToken from './patch-token.ts'
import postComment from './post-comment.ts'

/** Tokens: public reads; creation, metadata, comments and likes for authenticated wallets. */
const tokens: FastifyPluginAsync = async (app) => {
  app.register(async (scope) => {
    scope.addHook('onRequest', optionalWallet)
    scope.register(listTokens)
    scope.register(getToken)
    scope.register(getTokens)
    scope.register(getQuote)
    scope.register(listComments)
  })

  app.register(getChart)
  app.register(listTrades)
  app.register(listHolders)
  app.register(getRevenue)

  app.register(async (scope) => {
    scope.addHook('onRequest', requireWallet)
    scope.register(createToken)
    scope.register(patchToken)
    scope.register(postComment)
    scope.register(likeToken)
  })
}

export default {
  plugin: tokens,
  prefix: '/tokens',
  tags: [
    {
      name: 'Tokens',
      description: 'Discovery of tokens, their charts, trades, holders and creator fees; creation and metadata.',
    },
  ],
  schemas: [
    ...tokensSchemas.components,
    ...chartSchemas.components,
    ...quoteSchemas.components,
    ...revenueSchemas.components,
  ],
  reasons: screenerReasons,
  channels: tokensSchemas.channels,
  events: { ...tokensSchemas.liveEvents, ...chartSchemas.liveEvents },
} satisfies Domain
