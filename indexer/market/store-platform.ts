import { sql, type Transaction } from 'kysely'
import { formatUsd } from '../../chain/amounts.ts'
import type { Database } from '../../db/schema.ts'
import type { Deltas } from './deltas.ts'
import { buildDays, buildLaunchpads, dropIdleDays } from './store-launchpads.ts'
import type { TokenFigures } from './token-figures.ts'

/** Adds the deltas to the figures of the platform and, in the same statement, of the launchpads and their days. figures: of all tokens in the deltas. */
export async function storePlatform(
  trx: Transaction<Database>,
  deltas: Deltas,
  figures: ReadonlyMap<string, TokenFigures>,
): Promise<void> {
  const { platform } = deltas
  const { total, h24, protocolFees, creatorFees } = platform
  const parts = [
    { name: 'launchpads', statement: buildLaunchpads(deltas, figures) },
    { name: 'days', statement: buildDays(deltas, figures) },
  ].flatMap(({ name, statement }) => (statement ? sql`${sql.raw(name)} as (${statement})` : []))
  await sql`${parts.length > 0 ? sql`with ${sql.join(parts)}` : sql``} update platform_figures set
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
  await dropIdleDays(trx, deltas)
  // A launchpad without tokens has no row.
  if (platform.tokens < 0) await sql`delete from launchpad_figures where tokens_total = 0`.execute(trx)
}
