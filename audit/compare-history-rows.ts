import { sql, type Transaction } from 'kysely'
import type { Database } from '../db/schema.ts'
import type { Expected } from './expected.ts'
import type { Findings, Row } from './findings.ts'
import { expectSymbolKey } from './symbol-key.ts'

interface Range {
  from: number
  to: number
}

/** Compares the expected rows of a range of blocks with the stored ones. */
export async function compareHistoryRows(
  trx: Transaction<Database>,
  findings: Findings,
  expected: Expected,
  { from, to }: Range,
): Promise<void> {
  const read = async (table: keyof Database, key: (row: Row) => string) => {
    const { rows } = await sql<Row>`select * from ${sql.table(table)}
      where block_number >= ${from} and block_number <= ${to}`.execute(trx)
    return new Map(rows.map((row) => [key(row), row]))
  }
  const byPosition = (row: Row) => `${row.block_number}/${row.log_index}`
  const tokens = [...expected.tokens].map(
    ([address, row]) => [address, { ...row, symbol_key: expectSymbolKey(String(row.symbol)) }] as const,
  )
  findings.compareMaps('token', await read('tokens', (row) => String(row.address)), new Map(tokens))
  findings.compareMaps('trade', await read('readable_trades', byPosition), expected.trades)
  findings.compareMaps('action', await read('readable_actions', byPosition), expected.actions)
  findings.compareMaps('pool state', await read('readable_pool_states', byPosition), expected.poolStates)
  findings.compareMaps('transfer', await read('readable_transfers', byPosition), expected.transfers)
  const byShare = (row: Row) => `${byPosition(row)}/${row.position}`
  findings.compareMaps('fee share', await read('readable_fee_shares', byShare), expected.feeShares)
  findings.compareMaps('staking event', await read('staking_events', byPosition), expected.stakingEvents)
  findings.compareMaps('staking pool', await readCreated(trx, 'staking_pools', { from, to }), expected.stakingPools)
  findings.compareMaps('raise event', await read('raise_events', byPosition), expected.raiseEvents)
  findings.compareMaps('raise created', await readCreated(trx, 'raises', { from, to }), expected.raises)
  const proposals = await readCreated(trx, 'raise_proposals', { from, to })
  findings.compareMaps('proposal created', proposals, expected.raiseProposals)
  await compareStages(trx, findings, expected.stages)
  await compareSightings(trx, findings, expected.sightings, { from, to })
}

async function readCreated(
  trx: Transaction<Database>,
  table: 'staking_pools' | 'raises' | 'raise_proposals',
  { from, to }: Range,
): Promise<Map<string, Row>> {
  const { rows } = await sql<Row>`select * from ${sql.table(table)}
    where created_block >= ${from} and created_block <= ${to}`.execute(trx)
  return new Map(rows.map((row) => [String(row.id), row]))
}

async function compareStages(
  trx: Transaction<Database>,
  findings: Findings,
  stages: ReadonlyMap<string, Row>,
): Promise<void> {
  const { rows } = await sql<Row>`select * from readable_token_figures
    where token = any(${[...stages.keys()]}::text[])`.execute(trx)
  const stored = new Map(rows.map((row) => [String(row.token), row]))
  for (const [token, stage] of stages) findings.compareRows(`token ${token}`, stored.get(token), stage)
}

/**
 * Each wallet that held or traded a token in the range has a row, first seen no later than here; each wallet first seen
 * in the range by its row was seen in it.
 */
async function compareSightings(
  trx: Transaction<Database>,
  findings: Findings,
  sightings: Expected['sightings'],
  { from, to }: Range,
): Promise<void> {
  const pairs = [...sightings.keys()].map((key) => key.split('/') as [string, string])
  const { rows } = await sql<{ token: string; wallet: string; first_seen_block: number; first_seen_at: number }>`
    select k.token, k.wallet, b.first_seen_block, b.first_seen_at
    from unnest(${pairs.map(([token]) => token)}::text[], ${pairs.map(([, wallet]) => wallet)}::text[]) as k (token, wallet)
    join tokens t on t.address = k.token join balances b on b.token_id = t.id and b.wallet = decode(substr(k.wallet, 3), 'hex')
    union
    select token, wallet, first_seen_block, first_seen_at from readable_balances
    where first_seen_block >= ${from} and first_seen_block <= ${to}`.execute(trx)
  const stored = new Map(rows.map((row) => [`${row.token}/${row.wallet}`, row]))
  for (const key of new Set([...sightings.keys(), ...stored.keys()])) {
    const [row, seen] = [stored.get(key), sightings.get(key)]
    // First seen before the range, and compared there.
    if (row && seen && row.first_seen_block < from) continue
    findings.compareRows(
      `balance ${key}`,
      row && { first_seen_block: row.first_seen_block, first_seen_at: row.first_seen_at },
      seen && { first_seen_block: seen.block, first_seen_at: seen.time },
    )
  }
}
