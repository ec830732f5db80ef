import type { FastifyPluginAsync } from 'fastify'
import type { FailureFormat } from '../../../lib/openapi/describe-failures.ts'
import { sendError } from '../../../plugins/errors.ts'
import getConfig from './get-config.ts'
import getHistory from './get-history.ts'
import getMarks from './get-marks.ts'
import getSymbol from './get-symbol.ts'
import getTime from './get-time.ts'
import searchSymbols from './search-symbols.ts'

const failureFormat: FailureFormat = {
  component: 'UdfError',
  toBody: ({ reason, message }) => ({
    s: 'error',
    errmsg: reason === 'TOKEN_NOT_FOUND' ? 'unknown_symbol' : message,
  }),
}

/** TradingView’s UDF protocol, which has its own error format. */
const udf: FastifyPluginAsync = async (app) => {
  app.setErrorHandler((error, request, reply) =>
    sendError(error, request, reply, (failure) => JSON.stringify(failureFormat.toBody(failure))),
  )
  app.addHook('onRoute', (route) => {
    route.config = { ...route.config, failureFormat }
  })
  app.register(getConfig)
  app.register(getSymbol)
  app.register(searchSymbols)
  app.register(getHistory)
  app.register(getMarks)
  app.register(getTime)
}

export default udf
