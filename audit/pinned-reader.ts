import { type Abi, type Address, decodeFunctionResult, encodeFunctionData, type Hex, numberToHex } from 'viem'
import type { Chain } from '../chain/rpc/client.ts'
import { isExecutionError } from '../chain/rpc/node-failure.ts'
import { SilentContractError } from './findings.ts'

/** Reads contracts at the end of a fixed block. */
export class PinnedReader {
  readonly #chain: Chain
  readonly #block: Hex

  constructor(chain: Chain, block: number) {
    this.#chain = chain
    this.#block = numberToHex(block)
  }

  /** Calls a view function; the transport batches concurrent calls. */
  async read<T>(address: string, abi: Abi, functionName: string, args: readonly unknown[] = []): Promise<T> {
    const call = { to: address as Address, data: encodeFunctionData({ abi, functionName, args }) }
    const params = [call, this.#block]
    const silent = () => new SilentContractError(`${address} does not answer ${functionName}`)
    const data = await this.#chain.client.request({ method: 'eth_call', params } as never).catch((error: unknown) => {
      throw isExecutionError(error) ? silent() : error
    })
    try {
      return decodeFunctionResult({ abi, functionName, data: data as Hex }) as T
    } catch {
      throw silent()
    }
  }
}
