import { rpcCodes } from '../../schemas/rpc.ts'

/** Thrown for a call that is answered by an error of ours. The message is public. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: number

  constructor(kind: keyof typeof rpcCodes, message: string) {
    super(message)
    this.code = rpcCodes[kind]
  }
}

/** The answer that an error makes; `id` as JSON text. */
export const errorAnswer = (id: string, { code, message }: RpcError): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`
