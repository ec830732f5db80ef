import type { Transaction } from 'kysely'
import { appendRows, type BulkTarget } from '../../db/bulk.ts'
import type { Database } from '../../db/schema.ts'
import type { EventContext } from './batch.ts'

/** What a wallet did on the chain, other than a trade. A reorg deletes it by its position. */
export interface ActionRow {
  at: EventContext
  type: string
  wallet: string
  /** What it was done to: a token's address, or the id of a raise or pool. */
  subject: string
  /** What else the event says. Its strings of digits are amounts in base units. */
  data: Record<string, string | number>
}

const target: BulkTarget<ActionRow> = {
  table: 'actions',
  columns: [
    { name: 'block_number', type: 'bigint', value: ({ at }) => at.blockNumber },
    { name: 'log_index', type: 'integer', value: ({ at }) => at.logIndex },
    { name: 'block_time', type: 'bigint', value: ({ at }) => at.time },
    { name: 'tx_hash', type: 'text', value: ({ at }) => at.txHash },
    { name: 'type', type: 'text', value: ({ type }) => type },
    { name: 'wallet', type: 'text', value: ({ wallet }) => wallet },
    { name: 'subject', type: 'text', value: ({ subject }) => subject },
    { name: 'data', type: 'jsonb', value: ({ data }) => JSON.stringify(data) },
  ],
}

/** Appends them. Every one is new, so a conflict is a defect, and fails. */
export async function storeActions(trx: Transaction<Database>, actions: readonly ActionRow[]): Promise<void> {
  await appendRows(trx, target, actions)
}
