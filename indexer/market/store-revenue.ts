import { sql, type Transaction } from 'kysely'
import { type Column, tableOf } from '../../db/bulk.ts'
import type { Database } from '../../db/schema.ts'
import type { Deltas, Payout } from './deltas.ts'

type Row = Payout & { tokenId: number }

const keyColumns: Column<Row>[] = [
  { name: 'token_id', type: 'integer', value: ({ tokenId }) => tokenId },
  { name: 'recipient', type: 'hex', value: ({ wallet }) => wallet },
]
const columns: Column<Row>[] = [...keyColumns, { name: 'claimed', type: 'numeric', value: ({ claimed }) => claimed }]

/**
 * Adds the payouts of creator fees to what each recipient was paid. A recipient whose payouts were all undone, or were of nothing,
 * has no row. idOf: the number of a token, also of one whose launch was undone.
 */
export async function storeRevenue(
  trx: Transaction<Database>,
  { payouts }: Pick<Deltas, 'payouts'>,
  idOf: (token: string) => number,
): Promise<void> {
  const rows = payouts
    .values()
    .flatMap((payout) => (payout.claimed === 0n ? [] : { ...payout, tokenId: idOf(payout.token) }))
  if (rows.length === 0) return
  await sql`insert into creator_revenue (token_id, recipient, claimed) select * from ${tableOf(columns, rows)}
    on conflict (token_id, recipient) do update set claimed = creator_revenue.claimed + excluded.claimed`.execute(trx)
  const undone = rows.filter(({ claimed }) => claimed < 0n)
  if (undone.length === 0) return
  await sql`delete from creator_revenue r using ${tableOf(keyColumns, undone)}
    where r.token_id = k.token_id and r.recipient = k.recipient and r.claimed = 0`.execute(trx)
}
