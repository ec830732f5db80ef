import { sql, type Transaction } from 'kysely'
import { zeroAddress } from 'viem'
import { launchTokenAbi } from '../chain/abi/launch-token.ts'
import { bytes } from '../db/hex.ts'
import type { Database } from '../db/schema.ts'
import type { AuditedContracts } from './audited-contracts.ts'
import type { Findings, Row } from './findings.ts'
import { auditedLaunchpads } from './launchpads/index.ts'
import type { PinnedReader } from './pinned-reader.ts'
import { auditedVenues } from './venues/index.ts'

const BALANCES_PAGE = 1_000

/** Compares a token's supply, curve, pool and balances with the contracts. */
export async function auditTokenState(
  trx: Transaction<Database>,
  findings: Findings,
  reader: PinnedReader,
  { contracts, lpBurned }: { contracts: AuditedContracts; lpBurned: ReadonlyMap<string, bigint> },
  token: string,
): Promise<void> {
  const { rows } = await sql<Row>`select t.*, f.*,
      (select coalesce(sum(claimed), 0) from creator_revenue r where r.token_id = f.token_id) as paid_creator_fees
    from tokens t join token_figures f on f.token_id = t.id where t.address = ${token}`.execute(trx)
  const row = rows[0]
  if (!row) return findings.report(`token ${token}: is not in tokens and token_figures both`)
  const supply = await reader.read<bigint>(token, launchTokenAbi, 'totalSupply')
  findings.compare(`token ${token} total_supply`, row.total_supply ?? null, supply)
  const deployment = contracts.launchpads.get(String(row.launchpad)) ?? ''
  await auditedLaunchpads[deployment]?.compareToken?.(findings, reader, { token, row })
  if (row.pool) {
    const pool = { token, row, wrappedNative: contracts.wrappedNative, lpBurned: lpBurned.get(token) ?? 0n }
    await auditedVenues[String(row.venue)]?.comparePool?.(findings, reader, pool)
  }
  await compareBalances(trx, findings, reader, token, supply)
}

async function compareBalances(
  trx: Transaction<Database>,
  findings: Findings,
  reader: PinnedReader,
  token: string,
  supply: bigint,
): Promise<void> {
  let sum = 0n
  let after = '0x'
  for (;;) {
    const { rows } = await sql<{ wallet: string; balance: string }>`select wallet, balance from balances
      where token_id = (select id from tokens where address = ${token}) and wallet > ${bytes(after)} order by wallet limit ${BALANCES_PAGE}`.execute(
      trx,
    )
    const held = rows.filter(({ wallet }) => wallet !== zeroAddress)
    const actual = await Promise.all(
      held.map(({ wallet }) => reader.read<bigint>(token, launchTokenAbi, 'balanceOf', [wallet])),
    )
    for (const [index, { wallet, balance }] of held.entries()) {
      findings.compare(`balance ${token}/${wallet}`, balance, actual[index] ?? null)
      sum += BigInt(balance)
    }
    after = rows.at(-1)?.wallet ?? after
    if (rows.length < BALANCES_PAGE) break
  }
  findings.compare(`token ${token} sum of all balances`, sum, supply)
}
