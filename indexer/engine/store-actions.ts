import type { Transaction } from 'kysely'
import { appendRows, type BulkTarget } from '../../db/bulk.ts'
import type { Database } from '../../db/schema.ts'
import type { EventContext } from './batch.ts'

/** A row of actions: what a wallet did on the chain other than trade. A reorg deletes rows by position. */
export interface ActionRow {
  at: EventContext
  type: string
  wallet: string
  /** A token's address, or the id of a raise or pool. */
  subject: string
  /** Other values of the event; strings of digits are amounts in base units. */
  data: Record<string, string | number>
}

const target: BulkTarget<ActionRow> = {
  table: 'actions',
  columns: [
    { name: 'block_number', type: 'bigint', value: ({ at }) => at.blockNumber },
    { name: 'log_index', type: 'integer', value: ({ at }) => at.logIndex },
    { name: 'block_time', type: 'bigint', value: ({ at }) => at.time },
    { name: 'tx_hash', type: 'hex', value: ({ at }) => at.txHash },
    { name: 'type', type: 'text', value: ({ type }) => type },
    { name: 'wallet', type: 'hex', value: ({ wallet }) => wallet },
    { name: 'subject', type: 'text', value: ({ subject }) => subject },
    { name: 'data', type: 'jsonb', value: ({ data }) => JSON.stringify(data) },
  ],
}

/** Appends the rows. All are new, so a conflict is a bug and fails. */
export async function storeActions(trx: Transaction<Database>, actions: readonly ActionRow[]): Promise<void> {
  await appendRows(trx, target, actions)
}
