import type { Transaction } from 'kysely'
import type { FeeShare } from '../../chain/creator-fees.ts'
import { appendRows, type BulkTarget } from '../../db/bulk.ts'
import type { Database } from '../../db/schema.ts'
import { getTokenIds, type TokenIds } from '../../db/token-ids.ts'
import type { ChainEvent, OfKind } from './events.ts'

type RightEvent = OfKind<'fee-right-transferred' | 'fee-shares-updated'>

/** A share from an event on. The rows of a token's last such event are its present split. */
interface Row extends FeeShare {
  event: RightEvent
  position: number
  owner: string
}

const target = (ids: ReadonlyMap<string, TokenIds>): BulkTarget<Row> => ({
  table: 'fee_shares',
  columns: [
    { name: 'token_id', type: 'integer', value: ({ event }) => getTokenIds(ids, event.token).id },
    { name: 'block_number', type: 'bigint', value: ({ event }) => event.at.blockNumber },
    { name: 'log_index', type: 'integer', value: ({ event }) => event.at.logIndex },
    { name: 'position', type: 'smallint', value: ({ position }) => position },
    { name: 'owner', type: 'hex', value: ({ owner }) => owner },
    { name: 'recipient', type: 'hex', value: ({ recipient }) => recipient },
    { name: 'bps', type: 'integer', value: ({ bps }) => bps },
  ],
})

const isOfRight = (event: ChainEvent): event is RightEvent =>
  event.kind === 'fee-right-transferred' || event.kind === 'fee-shares-updated'

/** Appends who gets the creator fees of tokens from these events on. All are new, so a conflict is a bug and fails. */
export async function storeFeeShares(
  trx: Transaction<Database>,
  events: readonly ChainEvent[],
  ids: ReadonlyMap<string, TokenIds>,
): Promise<void> {
  await appendRows(trx, target(ids), events.filter(isOfRight).flatMap(toRows))
}

/** Without a split, all goes to the owner. */
function toRows(event: RightEvent): Row[] {
  const isTransfer = event.kind === 'fee-right-transferred'
  const owner = isTransfer ? event.to : event.owner
  const shares = isTransfer || event.shares.length === 0 ? [{ recipient: owner, bps: 10_000 }] : event.shares
  return shares.map((share, position) => ({ ...share, event, position, owner }))
}
