import type { Static } from '@sinclair/typebox'
import type { StakingEventRow } from '../db/queries/staking/staking-positions.ts'
import type { StakingEvent } from '../schemas/staking.ts'
import { toIso } from './format.ts'
import { rewardQuote } from './quote.ts'

/** An action at a staking pool as the API serves it after a receipt sync. */
export const toStakingEvent = (row: StakingEventRow): Static<typeof StakingEvent> => ({
  id: `${row.tx_hash}-${row.log_index}`,
  type: row.kind,
  poolId: row.pool,
  wallet: row.wallet,
  amount: row.amount,
  quote: row.kind === 'claim' || row.kind === 'fund' ? rewardQuote(row) : null,
  timestamp: toIso(row.block_time),
  blockNumber: row.block_number,
  txHash: row.tx_hash,
  logIndex: row.log_index,
  confirmed: row.confirmed,
})
