import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type AppError, REASON_HEADER } from '../../errors.ts'
import type { FailureFormat } from '../../lib/openapi/describe-failures.ts'
import { failures } from '../../lib/openapi/failures.ts'
import { toAppError } from '../../plugins/errors.ts'
import * as rpcSchemas from '../../schemas/rpc.ts'
import { RpcRequest, rpcLimits, rpcResponses } from '../../schemas/rpc.ts'
import type { Domain } from '../domain.ts'
import { answerBody } from './answer-calls.ts'
import { costOf } from './cost.ts'
import { parseJson } from './parse-json.ts'
import { errorAnswer, RpcError } from './rpc-error.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** Of all statuses but the limiter's a JSON-RPC client would make nothing. */
const failureFormat: FailureFormat = {
  component: 'RpcError',
  toBody: (error) => JSON.parse(errorAnswer('null', toRpcError(error))),
  reasons: ['RATE_LIMITED'],
}

/** The RPC proxy. The schema here documents and does not validate: what is wrong with a body is said in JSON-RPC. */
const rpc: FastifyPluginAsyncTypebox = async (app) => {
  // As text, because the one who parses must be able to answer, and because ids are kept to the letter.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    /^application\/(?:json|json-rpc|jsonrequest)(?:\s*;|$)/i,
    { parseAs: 'string' },
    async (_request: FastifyRequest, body: string) => body,
  )
  app.setErrorHandler((error, request, reply) =>
    error instanceof RpcError
      ? sendJson(reply, 200, errorAnswer('null', error))
      : sendRpcError(toAppError(error), request, reply),
  )

  app.post(
    '/rpc',
    {
      bodyLimit: rpcLimits.requestBytes,
      config: { failureFormat },
      validatorCompiler: () => () => true,
      serializerCompiler: () => String,
      schema: {
        operationId: 'callNode',
        tags: ['Chain'],
        summary: 'Call the node by JSON-RPC',
        description:
          'A JSON-RPC 2.0 proxy, single or batch, without the envelope of the other operations: errors are raw JSON-RPC ' +
          'with status 200. Serves what reads the chain, what tells fees, and eth_sendRawTransaction; filters, ' +
          `subscriptions and the node’s own accounts are -32601. At most ${rpcLimits.batch} calls in a batch, 128 KB in a ` +
          'request, 10 MB in an answer.',
        body: RpcRequest,
        response: { ...rpcResponses, ...failures() },
      },
    },
    async (request, reply) => {
      const { rpcUpstreams: upstreams, settings, log } = app
      const body = parseJson(String(request.body ?? ''))
      // One was taken when the request came in.
      await app.consumeMore(request, reply, costOf(body) - 1)
      const proxy = { upstreams, bounds: settings.rpcProxy, endsAt: upstreams.startBudget(), log }
      const answer = await answerBody(body, proxy)
      if (answer === null) return reply.code(204).send(null)
      return reply.type(JSON_TYPE).send(answer as never)
    },
  )
}

export default {
  plugin: rpc,
  tags: [{ name: 'Chain', description: 'JSON-RPC proxy.' }],
  schemas: rpcSchemas.components,
} satisfies Domain

/** What never got as far as a call. */
function sendRpcError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message)
  if (error.retryAfter !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfter)))
  reply.header(REASON_HEADER, error.reason)
  return sendJson(reply, error.status === 429 ? 429 : 200, errorAnswer('null', toRpcError(error)))
}

const sendJson = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').type(JSON_TYPE).serializer(String).send(text)

function toRpcError(error: AppError): RpcError {
  if (error.reason === 'MALFORMED_BODY') return new RpcError('parseError', error.message)
  if (error.status === 413 || error.status === 429) return new RpcError('limitExceeded', error.message)
  return new RpcError(error.status < 500 ? 'invalidRequest' : 'internal', error.message)
}
