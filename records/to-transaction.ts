import type { Static } from '@sinclair/typebox'
import type { TransactionRow } from '../db/queries/transactions.ts'
import { type Transaction, type TransactionType, transactionTypes } from '../schemas/trading.ts'
import { toIso } from './format.ts'
import { toQuote } from './quote.ts'

/** A trade or another action of a wallet as the API serves it. */
export function toTransaction(row: TransactionRow): Static<typeof Transaction> {
  const type = row.type as TransactionType
  const subject = transactionTypes[type]
  return {
    id: `${row.tx_hash}-${row.log_index}`,
    type,
    wallet: row.wallet,
    token: subject === 'token' ? row.subject : null,
    raise: subject === 'raise' ? row.subject : null,
    proposal: typeof row.data.proposal === 'string' ? row.data.proposal : null,
    pool: subject === 'pool' ? row.subject : null,
    // Amounts at a pool are in its own tokens.
    quote: subject === 'pool' ? null : toQuote(row),
    amounts: pickAmounts(row.data),
    timestamp: toIso(row.block_time),
    blockNumber: row.block_number,
    txHash: row.tx_hash,
    logIndex: row.log_index,
    confirmed: row.confirmed,
  }
}

/**
 * Action data also holds addresses and texts; amounts are its strings of digits. Sorted, so that records from a row and
 * from an event are the same text.
 */
const pickAmounts = (data: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(data)
      .filter((entry): entry is [string, string] => /^[0-9]{1,78}$/.test(String(entry[1])))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  )
