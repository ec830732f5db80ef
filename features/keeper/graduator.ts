import { type Address, formatEther, type Hex, keccak256, type PublicClient } from 'viem'
import type { PrivateKeyAccount } from 'viem/accounts'
import { addGasMargin, type Fees, readFees } from '../../chain/gas-price.ts'
import { NodeBudget } from '../../chain/rpc/node-budget.ts'
import { isExecutionError } from '../../chain/rpc/node-failure.ts'
import { getLaunchpad } from '../../launchpads/index.ts'
import type { LaunchpadKind } from '../../launchpads/kinds.ts'
import { pause } from '../../lib/concurrency/pause.ts'

/** A graduation that did not go on. The message is public. */
export class GraduationError extends Error {
  override name = 'GraduationError'
}

/** A token on its launchpad, both lower-case. Any account may graduate tokens of this kind of launchpad. */
export interface CompletedToken {
  token: Address
  launchpad: Address
  kind: LaunchpadKind
}

/** Transactions of one nonce, of which one is mined at most. */
interface Sent {
  nonce: number
  /** Of the last one. */
  fees: Fees
  hashes: readonly Hex[]
  /** The last one. */
  serialized: Hex
}

/** A transaction that waits is replaced up to so many times the present price. */
const MAX_BID = 5n

interface GraduatorOptions {
  client: PublicClient
  account: PrivateKeyAccount
  chainId: number
  /** How long to wait until a transaction is mined, before it is replaced. */
  patienceMs?: number
  pollMs?: number
  /** Time limit of one request to the nodes. */
  requestMs?: number
}

/** Sends graduations from one account, one after another, and replaces those that are not mined. */
export class Graduator {
  readonly #options: Required<GraduatorOptions>
  #sent: Sent | null = null

  constructor(options: GraduatorOptions) {
    this.#options = { patienceMs: 60_000, pollMs: 1_000, requestMs: 10_000, ...options }
  }

  get address(): Address {
    return this.#options.account.address
  }

  readBalance(): Promise<bigint> {
    return this.#ask((client) => client.getBalance({ address: this.address }))
  }

  /**
   * Graduates a token, and resolves to the hash of the mined transaction; to null if another account was faster: the
   * launchpad refuses the call, or the transaction was mined after the other and reverted. Throws GraduationError if the account lacks coins or the transaction is not mined in time;
   * the next call replaces it, with higher fees, or sends it again. Rejects with the node's error if the nodes fail or refuse the transaction.
   */
  async graduate({ token, launchpad: to, kind }: CompletedToken, signal: AbortSignal): Promise<Hex | null> {
    const data = getLaunchpad(kind).graduation!.encode(token)
    const gas = await this.#estimate(to, data)
    if (gas === null) return null
    const [nonce, fees, balance] = await Promise.all([this.#readNonce(), this.#readFees(), this.readBalance()])
    const waiting = this.#sent?.nonce === nonce ? this.#sent : null
    const bid = waiting === null ? fees : outbid(waiting.fees, fees)
    const cost = gas * bid.maxFeePerGas
    if (waiting === null && balance < cost)
      throw new GraduationError(
        `${this.address} has ${formatEther(balance)} coins, and a graduation costs up to ${formatEther(cost)}: send it coins`,
      )
    if (waiting === null || (balance >= cost && bid.maxFeePerGas <= MAX_BID * fees.maxFeePerGas)) {
      const serialized = await this.#sign({ to, data, gas, nonce }, bid)
      this.#sent = { nonce, fees: bid, hashes: [...(waiting?.hashes ?? []), keccak256(serialized)], serialized }
    }
    await this.#send(this.#sent!.serialized)
    return this.#waitUntilMined(this.#sent!, signal)
  }

  /** null if the launchpad refuses. In the state of the newest block: an earlier transaction may be pending. */
  async #estimate(to: Address, data: Hex): Promise<bigint | null> {
    try {
      const gas = await this.#ask((client) =>
        client.estimateGas({ account: this.address, to, data, blockTag: 'latest' }),
      )
      return addGasMargin(gas)
    } catch (error) {
      if (isExecutionError(error)) return null
      throw error
    }
  }

  /** The nonce of the next transaction to be mined: pending ones are replaced. */
  #readNonce(): Promise<number> {
    return this.#ask((client) => client.getTransactionCount({ address: this.address, blockTag: 'latest' }))
  }

  async #readFees(): Promise<Fees> {
    return this.#ask(readFees)
  }

  #sign(call: { to: Address; data: Hex; gas: bigint; nonce: number }, fees: Fees): Promise<Hex> {
    const { account, chainId } = this.#options
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    return maxPriorityFeePerGas === null
      ? account.signTransaction({ ...call, chainId, type: 'legacy', gasPrice: maxFeePerGas })
      : account.signTransaction({ ...call, chainId, type: 'eip1559', maxFeePerGas, maxPriorityFeePerGas })
  }

  async #send(serializedTransaction: Hex): Promise<void> {
    try {
      await this.#ask((client) => client.sendRawTransaction({ serializedTransaction }))
    } catch (error) {
      // Another node of RPC_URL, or an earlier process, has sent it.
      if (!/already (known|imported|exists)|known transaction/i.test(String(error))) throw error
    }
  }

  /** null if what was mined reverted. */
  async #waitUntilMined({ nonce, hashes }: Sent, signal: AbortSignal): Promise<Hex | null> {
    const { patienceMs, pollMs } = this.#options
    const deadline = Date.now() + patienceMs
    for (;;) {
      const found = await this.#findMined(hashes)
      if (found) return found.status === '0x1' ? found.transactionHash : null
      if (signal.aborted || Date.now() > deadline)
        throw new GraduationError(`transaction ${hashes.at(-1)} with nonce ${nonce} is not mined yet`)
      await pause(pollMs, signal)
    }
  }

  /** The receipt of the one that was mined. */
  async #findMined(hashes: readonly Hex[]) {
    for (const hash of hashes.toReversed()) {
      const receipt = await this.#ask((client) =>
        client.request({ method: 'eth_getTransactionReceipt', params: [hash] }),
      )
      if (receipt) return receipt
    }
    return undefined
  }

  /** The budget may end while a request goes on. None does harm: a signed transaction is mined once. */
  #ask<T>(ask: (client: PublicClient) => Promise<T>): Promise<T> {
    return new NodeBudget(this.#options.requestMs).run(() => ask(this.#options.client))
  }
}

/** Nodes replace a pending transaction if both fees are higher by a tenth at least. */
function outbid(before: Fees, now: Fees): Fees {
  const higher = (old: bigint, current: bigint) => {
    const least = old + old / 8n + 1n
    return current > least ? current : least
  }
  const priority = before.maxPriorityFeePerGas
  return {
    maxFeePerGas: higher(before.maxFeePerGas, now.maxFeePerGas),
    maxPriorityFeePerGas: priority === null ? null : higher(priority, now.maxPriorityFeePerGas ?? 0n),
  }
}
