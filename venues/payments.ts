import { zeroAddress } from 'viem'

export interface Payment {
  from: string
  value: bigint
}

/**
 * Transfers of its token into each pool since they were last taken, which are what a swap counts as paid in. Zero
 * transfers, mints and transfers of the pool to itself do not count.
 */
export class Payments {
  readonly #byPool = new Map<string, Payment[]>()

  add(pool: string, { from, value }: Payment): void {
    if (value === 0n || from === zeroAddress || from === pool) return
    const payments = this.#byPool.get(pool)
    if (payments) payments.push({ from, value })
    else this.#byPool.set(pool, [{ from, value }])
  }

  /** Returns and removes the payments. */
  take(pool: string): readonly Payment[] {
    const payments = this.#byPool.get(pool)
    if (!payments) return []
    this.#byPool.delete(pool)
    return payments
  }

  clear(): void {
    this.#byPool.clear()
  }
}

/** The wallet that paid the most; undefined without payments or after a tie. */
export function findPayer(payments: readonly Payment[]): string | undefined {
  const paid = new Map<string, bigint>()
  for (const { from, value } of payments) paid.set(from, (paid.get(from) ?? 0n) + value)
  let [payer, most, isTied]: [string | undefined, bigint, boolean] = [undefined, 0n, false]
  for (const [from, value] of paid) {
    if (value > most) [payer, most, isTied] = [from, value, false]
    else if (value === most) isTied = true
  }
  return isTied ? undefined : payer
}
