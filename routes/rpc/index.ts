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
import { costOf, costOfAnswer } from './cost.ts'
import { parseJson } from './parse-json.ts'
import { errorAnswer, RpcError } from './rpc-error.ts'

const JSON_TYPE = 'application/json; charset=utf-8'

/** JSON-RPC clients understand no error status; only 429 is used, and 400 where the request is not valid HTTP. */
const reasons: readonly string[] = ['RATE_LIMITED', 'MALFORMED_REQUEST']
const failureFormat: FailureFormat = {
  component: 'RpcError',
  toBody: (error) => JSON.parse(errorAnswer('null', toRpcError(error))),
  reasons,
}

/** The RPC proxy. Its schema documents but does not validate: errors of a body are returned in JSON-RPC. */
const rpc: FastifyPluginAsyncTypebox = async (app) => {
  // Parsed in the handler, so that parse errors get a JSON-RPC response and numeric ids keep their digits.
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
          'A JSON-RPC 2.0 proxy for single calls and batches, without the envelope of other operations: errors are ' +
          'JSON-RPC errors with status 200. Supports methods that read the chain or fees, and ' +
          'eth_sendRawTransaction. Filters, subscriptions and the node’s own accounts return -32601. At most ' +
          `${rpcLimits.batch} calls in a batch, 128 KB in a request, 10 MB in a response.`,
        body: RpcRequest,
        response: { ...rpcResponses, ...failures() },
      },
    },
    async (request, reply) => {
      const { rpcUpstreams: upstreams, settings, log } = app
      const body = parseJson(String(request.body ?? ''))
      // The rate limiter has already consumed one unit.
      await app.consumeMore(request, reply, costOf(body) - 1)
      const proxy = { upstreams, bounds: settings.rpcProxy, endsAt: upstreams.startBudget(), log }
      const answer = await answerBody(body, proxy)
      if (answer === null) return reply.code(204).send(null)
      await app.chargeDone(request, reply, costOfAnswer(answer))
      return reply.type(JSON_TYPE).send(answer as never)
    },
  )
}

export default {
  plugin: rpc,
  tags: [{ name: 'Chain', description: 'JSON-RPC proxy.' }],
  schemas: rpcSchemas.components,
} satisfies Domain

/** Sends an error that occurred before any call. */
function sendRpcError(error: AppError, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  if (error.status >= 500) request.log.error({ err: error.cause ?? error }, error.message)
  if (error.retryAfter !== undefined) reply.header('retry-after', Math.max(1, Math.ceil(error.retryAfter)))
  reply.header(REASON_HEADER, error.reason)
  return sendJson(reply, reasons.includes(error.reason) ? error.status : 200, errorAnswer('null', toRpcError(error)))
}

const sendJson = (reply: FastifyReply, status: number, text: string): FastifyReply =>
  reply.code(status).header('cache-control', 'no-store').type(JSON_TYPE).serializer(String).send(text)

function toRpcError(error: AppError): RpcError {
  if (error.reason === 'MALFORMED_BODY') return new RpcError('parseError', error.message)
  if (error.status === 413 || error.status === 429) return new RpcError('limitExceeded', error.message)
  return new RpcError(error.status < 500 ? 'invalidRequest' : 'internal', error.message)
}
