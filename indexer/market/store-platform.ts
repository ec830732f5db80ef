import { sql, type Transaction } from 'kysely'
import { formatUsd } from '../../chain/amounts.ts'
import type { Database } from '../../db/schema.ts'
import type { Deltas } from './deltas.ts'

/** Adds the deltas to the platform's figures. */
export async function storePlatform(trx: Transaction<Database>, { platform }: Deltas): Promise<void> {
  const { total, h24, protocolFees, creatorFees } = platform
  await sql`update platform_figures set
    tokens_total = tokens_total + ${platform.tokens}::bigint,
    tokens_graduated = tokens_graduated + ${platform.graduated}::bigint,
    traders_total = traders_total + ${platform.traders}::bigint,
    traders_h24 = traders_h24 + ${platform.tradersH24}::bigint,
    trades_total = trades_total + ${total.trades}::bigint,
    trades_h24 = trades_h24 + ${h24.trades}::bigint,
    volume_total = volume_total + ${total.volume}::numeric,
    volume_usd_total = volume_usd_total + ${formatUsd(total.volumeUsd)}::numeric,
    volume_h24 = volume_h24 + ${h24.volume}::numeric,
    volume_usd_h24 = volume_usd_h24 + ${formatUsd(h24.volumeUsd)}::numeric,
    protocol_fees_total = protocol_fees_total + ${protocolFees.total}::numeric,
    protocol_fees_h24 = protocol_fees_h24 + ${protocolFees.h24}::numeric,
    creator_fees_total = creator_fees_total + ${creatorFees.total}::numeric,
    creator_fees_h24 = creator_fees_h24 + ${creatorFees.h24}::numeric`.execute(trx)
}
