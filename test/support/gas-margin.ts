import { type Hex, http, MethodNotFoundRpcError, numberToHex, type Transport } from 'viem'

/**
 * A node over HTTP whose gas estimates have a margin. An exact estimate is too low when the block that the transaction is
 * mined in begins a second later: pairs store their price sums then. Without eth_fillTransaction, whose gas has no margin.
 */
export const httpWithGasMargin =
  (url: string): Transport =>
  (settings) => {
    const inner = http(url)(settings)
    const request = async (args: { method: string }) => {
      if (args.method === 'eth_fillTransaction') throw new MethodNotFoundRpcError(new Error('Not offered'), args)
      const result: unknown = await inner.request(args as never)
      return args.method === 'eth_estimateGas' ? numberToHex((BigInt(result as Hex) * 5n) / 4n + 50_000n) : result
    }
    return { ...inner, request: request as typeof inner.request }
  }
