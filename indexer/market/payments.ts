import { zeroAddress } from 'viem'

export interface Payment {
  from: string
  value: bigint
}

/**
 * The transfers of its own token into each pool, since the pool last measured its balances (its last Sync): what a swap
 * takes as paid in. Transfers of nothing, mints and those of the pool to itself are no payments: nobody gives anything.
 */
export class Payments {
  readonly #byPool = new Map<string, Payment[]>()

  add(pool: string, { from, value }: Payment): void {
    if (value === 0n || from === zeroAddress || from === pool) return
    const payments = this.#byPool.get(pool)
    if (payments) payments.push({ from, value })
    else this.#byPool.set(pool, [{ from, value }])
  }

  /** The payments since the call before. */
  take(pool: string): readonly Payment[] {
    const payments = this.#byPool.get(pool)
    if (!payments) return []
    this.#byPool.delete(pool)
    return payments
  }

  clear(): void {
    if (this.#byPool.size > 0) this.#byPool.clear()
  }
}

/** The wallet that paid the most; undefined where nobody paid, or several paid the same. */
export function findPayer(payments: readonly Payment[]): string | undefined {
  if (payments.length < 2) return payments[0]?.from
  const paid = new Map<string, bigint>()
  for (const { from, value } of payments) paid.set(from, (paid.get(from) ?? 0n) + value)
  let [payer, most, isTied]: [string | undefined, bigint, boolean] = [undefined, 0n, false]
  for (const [from, value] of paid) {
    if (value > most) [payer, most, isTied] = [from, value, false]
    else if (value === most) isTied = true
  }
  return isTied ? undefined : payer
}
