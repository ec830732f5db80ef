import { sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import { launchTokenAbi } from '../chain/abi/launch-token.ts'
import type { RpcLog } from '../chain/logs/log.ts'
import type { Database } from '../db/schema.ts'
import { type AuditedBlock, decodeByAbi, type Expected, keyOf, lower } from './expected.ts'
import type { Findings, Row } from './findings.ts'

/** A Transfer of a token, or a trade, in the order of their logs. */
interface Moved {
  key: string
  token: string
  amount: bigint
  isTrade: boolean
  from: string | null
  to: string | null
}

/**
 * The transfers of a transaction, without those that are a trade's: of a transfer and a trade of the same amount between the
 * same addresses, the closest ones belong together. A curve's address is not compared. holderOf: what holds the tokens of a pool.
 */
export function expectTransfers(
  out: Expected,
  block: AuditedBlock,
  logs: readonly RpcLog[],
  isToken: (address: string) => boolean,
  holderOf: (pool: string) => string,
): void {
  const free: Moved[] = []
  for (const log of logs) {
    const key = keyOf(block, log)
    const trade = out.trades.get(key)
    const moved = trade ? ofTrade(key, trade, holderOf) : isToken(lower(log.address)) && ofTransfer(key, log)
    if (!moved) continue
    if (!moved.isTrade) recordSent(out, moved)
    if (moved.amount === 0n && !moved.isTrade) continue
    const at = free.findLastIndex((other) => belongTogether(moved, other))
    if (at >= 0) free.splice(at, 1)
    else free.push(moved)
  }
  for (const { key, token, amount, isTrade, from, to } of free) {
    if (isTrade) continue
    const [block_number = 0, log_index = 0] = key.split('/').map(Number)
    out.transfers.set(key, { block_number, log_index, token, sender: from, recipient: to, amount })
  }
}

function ofTrade(key: string, row: Row, holderOf: (pool: string) => string): Moved {
  const isBuy = row.side === 'buy'
  const [market, wallet] = [
    row.pool === null ? null : holderOf(String(row.pool)),
    String(isBuy ? row.recipient : row.trader),
  ]
  const [from, to] = isBuy ? [market, wallet] : [wallet, market]
  return { key, token: String(row.token), amount: row.token_amount as bigint, isTrade: true, from, to }
}

function ofTransfer(key: string, log: RpcLog): Moved | undefined {
  const event = decodeByAbi(launchTokenAbi, log)
  if (event?.eventName !== 'Transfer') return undefined
  const { from, to, value } = event.args
  return { key, token: lower(log.address), amount: value as bigint, isTrade: false, from: lower(from), to: lower(to) }
}

function belongTogether(a: Moved, b: Moved): boolean {
  const fits = (x: string | null, y: string | null) => x === null || y === null || x === y
  const isSame = a.token === b.token && a.amount === b.amount
  return a.isTrade !== b.isTrade && isSame && fits(a.from, b.from) && fits(a.to, b.to)
}

function recordSent(out: Expected, { token, amount, from, to }: Moved): void {
  if (from === zeroAddress || from === to) return
  const key = `${token}/${from}`
  out.sent.set(key, (out.sent.get(key) ?? 0n) + amount)
}

const EMPTY = { bought: 0n, sold: 0n, spent: 0n, proceeds: 0n, sent: 0n }
type Sums = typeof EMPTY

/** What each wallet did with each token, by the logs of the whole chain: trades may be archived. */
export class WalletSums {
  readonly #sums = new Map<string, Map<string, Sums>>()

  add({ trades, sent }: Expected): void {
    for (const trade of trades.values()) {
      if (!trade.trader_known) continue
      const sums = this.#of(String(trade.token), String(trade.trader))
      const [tokens, quote] = [trade.token_amount as bigint, trade.quote_amount as bigint]
      if (trade.side === 'buy') Object.assign(sums, { bought: sums.bought + tokens, spent: sums.spent + quote })
      else Object.assign(sums, { sold: sums.sold + tokens, proceeds: sums.proceeds + quote })
    }
    for (const [key, amount] of sent) this.#of(...(key.split('/') as [string, string])).sent += amount
  }

  #of(token: string, wallet: string): Sums {
    const wallets = this.#sums.get(token) ?? new Map<string, Sums>()
    this.#sums.set(token, wallets)
    const sums = wallets.get(wallet) ?? { ...EMPTY }
    wallets.set(wallet, sums)
    return sums
  }

  /** Compares the balances of a token, and the volume of its round trips. */
  async compare(trx: Transaction<Database>, findings: Findings, token: string): Promise<void> {
    const expected = this.#sums.get(token) ?? new Map<string, Sums>()
    const { rows } = await sql<Row>`select wallet, bought, sold, spent, proceeds, sent from readable_balances
      where token = ${token}`.execute(trx)
    const stored = new Map(rows.map(({ wallet, ...sums }) => [String(wallet), sums]))
    for (const wallet of new Set([...stored.keys(), ...expected.keys()]))
      findings.compareRows(`balance ${token}/${wallet}`, stored.get(wallet), expected.get(wallet) ?? EMPTY)
    let wash = 0n
    for (const { bought, sold, spent, proceeds } of expected.values()) {
      if (bought > 0n && sold > 0n && isUnchanged(bought, sold) && isUnchanged(spent, proceeds))
        wash += spent + proceeds
    }
    const { rows: figures } = await sql<Row>`select wash_volume from readable_token_figures
      where token = ${token}`.execute(trx)
    findings.compareRows(`token ${token}`, figures[0], { wash_volume: wash })
  }
}

/** The difference is at most 5 % of the sum. */
function isUnchanged(a: bigint, b: bigint): boolean {
  const difference = a < b ? b - a : a - b
  return difference * 100n <= (a + b) * 5n
}
