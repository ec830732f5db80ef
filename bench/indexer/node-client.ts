import { type Address, type Hex, numberToHex } from 'viem'

const GAS = numberToHex(200_000_000)
const MINING_WAIT_MS = 30_000

/** Minimal JSON-RPC client for filling: no gas estimates, no nonces, no waiting between transactions. */
export class Node {
  readonly #url: string

  constructor(url: string) {
    this.#url = url
  }

  async call<T>(method: string, params: unknown[]): Promise<T> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(this.#url, { method: 'POST', headers: { 'content-type': 'application/json' }, body })
    const answer = (await response.json()) as { result: T; error?: { message: string } }
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`)
    return answer.result
  }

  /** Sends a transaction from an unlocked account of the node. */
  submit(from: Address, to: Address | null, data: Hex, value = 0n): Promise<Hex> {
    return this.call('eth_sendTransaction', [
      { from, ...(to && { to }), data, value: numberToHex(value), gas: GAS, gasPrice: '0x0' },
    ])
  }

  /** The block of a transaction. @throws Error when it reverted or is not mined */
  async confirm(hash: Hex): Promise<number> {
    const receipt = await this.#getReceipt(hash)
    if (receipt?.status !== '0x1') throw new Error(`Transaction ${hash} failed or was not mined`)
    return Number(receipt.blockNumber)
  }

  /** Sends a transaction, waits until it is mined, and returns the address of the created or called contract. */
  async send(from: Address, to: Address | null, data: Hex, value = 0n): Promise<Address> {
    const hash = await this.submit(from, to, data, value)
    const deadline = Date.now() + MINING_WAIT_MS
    for (;;) {
      const receipt = await this.#getReceipt(hash)
      if (receipt?.status === '0x1') return receipt.contractAddress ?? receipt.to
      if (receipt || Date.now() > deadline) throw new Error(`Transaction ${hash} failed or was not mined`)
    }
  }

  #getReceipt(hash: Hex) {
    return this.call<{ status: Hex; blockNumber: Hex; contractAddress: Address | null; to: Address } | null>(
      'eth_getTransactionReceipt',
      [hash],
    )
  }
}
