import { type Hex, http, MethodNotFoundRpcError, numberToHex, type Transport } from 'viem'

/**
 * A node over HTTP whose gas estimates have a margin. An exact estimate is too low when the block that the transaction is
 * mined in begins a second later: pairs store their price sums then. Without eth_fillTransaction, whose gas has no margin;
 * and a transaction of one of the node's accounts is estimated here, because the node's own estimate has none either.
 */
export const httpWithGasMargin =
  (url: string): Transport =>
  (settings) => {
    const inner = http(url)(settings)
    const send = (method: string, params?: unknown) => inner.request({ method, params } as never) as Promise<unknown>
    const estimate = async (params: unknown) =>
      numberToHex((BigInt((await send('eth_estimateGas', params)) as Hex) * 5n) / 4n + 50_000n)
    const request = async ({ method, params }: { method: string; params?: unknown[] }) => {
      if (method === 'eth_fillTransaction') throw new MethodNotFoundRpcError(new Error('Not offered'), { method })
      if (method === 'eth_estimateGas') return estimate(params)
      const [transaction] = (params ?? []) as [{ gas?: Hex }?]
      if (method !== 'eth_sendTransaction' || transaction?.gas) return send(method, params)
      return send(method, [{ ...transaction, gas: await estimate([transaction]) }])
    }
    return { ...inner, request: request as typeof inner.request }
  }
