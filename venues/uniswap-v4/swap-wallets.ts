import { zeroAddress } from 'viem'
import { findPayer } from '../payments.ts'
import type { PoolTransfer } from '../venue.ts'

/** A swap whose wallet is looked for. */
export interface OpenSwap {
  side: 'buy' | 'sell'
  tokenAmount: bigint
  /** Undefined until it is found. */
  wallet: string | undefined
}

/** A transfer between the manager and a wallet. */
interface Movement {
  side: 'buy' | 'sell'
  wallet: string
  value: bigint
}

/**
 * Finds the wallets of the swaps of a pool in one transaction, which the logs of the manager do not name: the transfers of the token
 * from the manager are of buyers, those to it of sellers, before or after the swap. A transfer of exactly the amount of a swap is
 * its own: each takes the closest one that is still free. What is left over is of the wallet with the most, as where several swaps
 * are settled at once.
 */
export class SwapWallets {
  readonly #manager: string
  #free: Movement[] = []
  #waiting: OpenSwap[] = []

  constructor(manager: string) {
    this.#manager = manager
  }

  addSwap(swap: OpenSwap): void {
    const at = this.#free.findLastIndex((movement) => isOf(movement, swap))
    if (at < 0) this.#waiting.push(swap)
    else swap.wallet = this.#free.splice(at, 1)[0]!.wallet
  }

  addTransfer(transfer: PoolTransfer): void {
    const movement = toMovement(transfer, this.#manager)
    if (movement === undefined) return
    const at = this.#waiting.findLastIndex((swap) => isOf(movement, swap))
    if (at < 0) this.#free.push(movement)
    else this.#waiting.splice(at, 1)[0]!.wallet = movement.wallet
  }

  /** Call after the last log of a transaction: the wallets that can be determined are then set. */
  finish(): void {
    for (const swap of this.#waiting) {
      const own = this.#free.filter(({ side }) => side === swap.side)
      swap.wallet = findPayer(own.map(({ wallet, value }) => ({ from: wallet, value })))
    }
    this.#free = []
    this.#waiting = []
  }
}

const isOf = (movement: Movement, swap: OpenSwap): boolean =>
  movement.side === swap.side && movement.value === swap.tokenAmount

/** Zero transfers, which anyone can make in any name, mints, burns and transfers of the manager to itself do not count. */
function toMovement({ from, to, value }: PoolTransfer, manager: string): Movement | undefined {
  if (value === 0n || from === to) return undefined
  const [side, wallet] = from === manager ? (['buy', to] as const) : (['sell', from] as const)
  if (wallet === zeroAddress || (side === 'sell' && to !== manager)) return undefined
  return { side, wallet, value }
}
