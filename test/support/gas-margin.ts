import { type Hex, http, numberToHex, type Transport } from 'viem'

/**
 * A node over HTTP whose estimates of gas have a margin of a quarter, as wallets add one. An exact estimate is too low when
 * the block that the transaction is mined in begins a second later: pairs do a little more then.
 */
export const httpWithGasMargin =
  (url: string): Transport =>
  (settings) => {
    const inner = http(url)(settings)
    const request = async (args: { method: string }) => {
      const result: unknown = await inner.request(args as never)
      return args.method === 'eth_estimateGas' ? numberToHex((BigInt(result as Hex) * 5n) / 4n) : result
    }
    return { ...inner, request: request as typeof inner.request }
  }
