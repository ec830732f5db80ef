import { sql, type Transaction } from 'kysely'
import { formatUsd } from '../chain/amounts.ts'
import type { Database } from '../db/schema.ts'
import type { Findings, Row } from './findings.ts'

export interface LotTrade {
  block_number: number
  log_index: number
  trader: string
  trader_known: boolean
  side: string
  token_amount: string
  quote_amount: string
  value_usd: string | null
  realized: string | null
  realized_usd: string | null
  /** null: the quote asset is the native coin. */
  value_native: string | null
  realized_native: string | null
}

interface Account {
  tokens: bigint
  cost: bigint
  costNative: bigint
  costUsd: bigint
  earned: bigint
  earnedNative: bigint
  earnedUsd: bigint
  /** The first block whose trades are not archived, or follow archived ones. */
  from: number
}

const EMPTY: Account = {
  ...{ tokens: 0n, cost: 0n, costNative: 0n, costUsd: 0n },
  ...{ earned: 0n, earnedNative: 0n, earnedUsd: 0n, from: 0 },
}

const usd = (text: unknown) => BigInt(String(text).replace('.', ''))

/** Recomputes the lots and profits of a token's traders, at average cost. */
export class LotAudit {
  readonly #accounts = new Map<string, Account>()
  readonly #findings: Findings
  readonly #token: string

  /** archived: the lots after archived trades. */
  constructor(findings: Findings, token: string, archived: readonly Row[]) {
    this.#findings = findings
    this.#token = token
    for (const row of archived) {
      this.#accounts.set(String(row.wallet), {
        tokens: BigInt(String(row.lot_tokens)),
        cost: BigInt(String(row.lot_cost)),
        costNative: BigInt(String(row.lot_cost_native ?? 0)),
        costUsd: usd(row.lot_cost_usd),
        earned: BigInt(String(row.lot_realized)),
        earnedNative: BigInt(String(row.lot_realized_native ?? 0)),
        earnedUsd: usd(row.lot_realized_usd),
        from: Number(row.stop),
      })
    }
  }

  /** The token's trades, oldest first. */
  add(trade: LotTrade): void {
    const account = { ...(this.#accounts.get(trade.trader) ?? EMPTY) }
    // Restored, while later trades are archived.
    if (trade.block_number < account.from) return
    this.#accounts.set(trade.trader, account)
    const [amount, quote] = [BigInt(trade.token_amount), BigInt(trade.quote_amount)]
    const value = usd(trade.value_usd ?? '0')
    const native = BigInt(trade.value_native ?? 0)
    const expected: Row = { realized: null, realized_usd: null, realized_native: null }
    if (!trade.trader_known) {
      // A swap by an unknown wallet changes no lot.
    } else if (trade.side === 'buy') {
      account.tokens += amount
      account.cost += quote
      account.costNative += native
      account.costUsd += value
    } else {
      const own = account.tokens < amount ? account.tokens : amount
      const part = (of: bigint, whole: bigint) => (whole === 0n ? 0n : (of * own) / whole)
      const [cost, costUsd] = [part(account.cost, account.tokens), part(account.costUsd, account.tokens)]
      const [profit, profitUsd] = [
        part(quote, amount) - cost,
        trade.value_usd === null ? 0n : part(value, amount) - costUsd,
      ]
      const costNative = part(account.costNative, account.tokens)
      account.tokens -= own
      // A positive amount of an asset without a rate is stored with the value 0.
      const isValued = trade.value_native !== null && (native > 0n || quote === 0n)
      const profitNative = isValued ? part(native, amount) - costNative : 0n
      account.costNative -= costNative
      account.earnedNative += profitNative
      account.cost -= cost
      account.costUsd -= costUsd
      account.earned += profit
      account.earnedUsd += profitUsd
      Object.assign(expected, { realized: profit, realized_usd: formatUsd(profitUsd) })
      if (trade.value_native !== null) expected.realized_native = profitNative
    }
    const { realized, realized_usd, realized_native } = trade
    const stored = { realized, realized_usd, realized_native }
    this.#findings.compareRows(`trade ${trade.block_number}/${trade.log_index}`, stored, expected)
  }

  /** Compares the balances after the last trade. */
  async compareBalances(trx: Transaction<Database>): Promise<void> {
    const { rows } =
      await sql<Row>`select wallet, lot_tokens, lot_cost, lot_cost_usd, realized, realized_usd, lot_cost_native, realized_native,
        (select t.quote_token from tokens t where t.address = readable_balances.token) as quote_token
      from readable_balances
      where token = ${this.#token}`.execute(trx)
    for (const { wallet, ...stored } of rows) {
      const account = this.#accounts.get(String(wallet)) ?? EMPTY
      this.#findings.compareRows(`balance ${this.#token}/${wallet}`, stored, {
        ...{ lot_tokens: account.tokens, lot_cost: account.cost, lot_cost_usd: formatUsd(account.costUsd) },
        ...{ realized: account.earned, realized_usd: formatUsd(account.earnedUsd) },
        ...(BigInt(String(stored.quote_token)) === 0n
          ? { lot_cost_native: null, realized_native: null }
          : { lot_cost_native: account.costNative, realized_native: account.earnedNative }),
      })
    }
  }
}
