import type { FastifyPluginAsync } from 'fastify'
import { optionalWallet, requireWallet } from '../../plugins/auth.ts'
import createToken from './create-token.ts'
import getChart from './get-chart.ts'
import getQuote from './get-quote.ts'
import getToken from './get-token.ts'
import likeToken from './like-token.ts'
import listComments from './list-comments.ts'
import listHolders from './list-holders.ts'
import listTokens from './list-tokens.ts'
import listTrades from './list-trades.ts'
import patchToken from './patch-token.ts'
import postComment from './post-comment.ts'

/** Tokens: discovery for everybody, creation, metadata, comments and likes for wallets that signed in. */
const tokens: FastifyPluginAsync = async (app) => {
  app.register(getChart)
  app.register(listTrades)
  app.register(listHolders)

  app.register(async (scope) => {
    scope.addHook('onRequest', optionalWallet)
    scope.register(listTokens)
    scope.register(getToken)
    scope.register(getQuote)
    scope.register(listComments)
  })

  app.register(async (scope) => {
    scope.addHook('onRequest', requireWallet)
    scope.register(createToken)
    scope.register(patchToken)
    scope.register(postComment)
    scope.register(likeToken)
  })
}

export default tokens
