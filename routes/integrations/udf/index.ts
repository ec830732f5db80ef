import type { FastifyPluginAsync } from 'fastify'
import { sendError } from '../../../plugins/errors.ts'
import getConfig from './get-config.ts'
import getHistory from './get-history.ts'
import getMarks from './get-marks.ts'
import getSymbol from './get-symbol.ts'
import getTime from './get-time.ts'
import searchSymbols from './search-symbols.ts'

/** TradingView's protocol for a feed of charts. Its failures have a body of their own. */
const udf: FastifyPluginAsync = async (app) => {
  app.setErrorHandler((error, request, reply) =>
    sendError(error, request, reply, ({ reason, message }) =>
      JSON.stringify({ s: 'error', errmsg: reason === 'TOKEN_NOT_FOUND' ? 'unknown_symbol' : message }),
    ),
  )
  app.register(getConfig)
  app.register(getSymbol)
  app.register(searchSymbols)
  app.register(getHistory)
  app.register(getMarks)
  app.register(getTime)
}

export default udf
