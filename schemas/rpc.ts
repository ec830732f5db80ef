import { Type } from '@sinclair/typebox'
import { component, ref } from './common.ts'

/** JSON-RPC 2.0 error codes; limitExceeded is from EIP-1474. */
export const rpcCodes = {
  parseError: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internal: -32603,
  limitExceeded: -32005,
} as const

/** Limits of a request and its response. */
export const rpcLimits = { batch: 50, requestBytes: 128 * 1024, responseBytes: 10 * 1024 * 1024 } as const

const Id = Type.Union([Type.String(), Type.Number(), Type.Null()], {
  description: 'Returned unchanged in the response. A call without an id is a notification and gets no response.',
})

const RpcCall = component(
  'RpcCall',
  {
    jsonrpc: Type.Literal('2.0'),
    id: Type.Optional(Id),
    method: Type.String(),
    params: Type.Optional(Type.Array(Type.Unknown())),
  },
  {
    description: 'A JSON-RPC 2.0 request.',
    examples: [{ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }],
  },
)

const RpcError = component(
  'RpcError',
  {
    jsonrpc: Type.Literal('2.0'),
    id: Id,
    error: Type.Object({
      code: Type.Integer({
        description:
          '-32700: not JSON. -32600: not a request. -32601: method not available here. -32602: invalid parameters. ' +
          '-32005: limit exceeded. -32603: no node answered. Any other code is the node’s own, with its message ' +
          'and data.',
      }),
      message: Type.String(),
      data: Type.Optional(Type.Unknown()),
    }),
  },
  {
    description: 'A JSON-RPC 2.0 response to a call that failed.',
    examples: [{ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'The method admin_peers is not available' } }],
  },
)

const RpcResult = component(
  'RpcResult',
  { jsonrpc: Type.Literal('2.0'), id: Id, result: Type.Unknown() },
  {
    description: 'A JSON-RPC 2.0 response to a call that succeeded.',
    examples: [{ jsonrpc: '2.0', id: 1, result: '0x1b4' }],
  },
)

const answer = [ref(RpcResult), ref(RpcError)]

export const RpcRequest = Type.Union(
  [ref(RpcCall), Type.Array(ref(RpcCall), { minItems: 1, maxItems: rpcLimits.batch })],
  { description: 'One call, or a batch of calls.' },
)

export const rpcResponses = {
  200: Type.Union([...answer, Type.Array(Type.Union(answer))], {
    description:
      'A JSON-RPC response, result or error, without the envelope. For a batch, a list of responses in any ' + 'order.',
  }),
  204: Type.Null({ description: 'The request contained notifications only, so there is no response body.' }),
}

export const components = [RpcCall, RpcResult, RpcError]
