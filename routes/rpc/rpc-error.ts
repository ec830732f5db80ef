import { rpcCodes } from '../../schemas/rpc.ts'

/** Error response of the proxy itself. The message is public. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(kind: keyof typeof rpcCodes, message: string) {
    super(message)
    this.code = rpcCodes[kind]
  }
}

/** JSON-RPC error response; `id` is JSON text. */
export const errorAnswer = (id: string, { code, message }: RpcError): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`
