import { sql, type Transaction } from 'kysely'
import type { Chain } from '../chain/rpc/client.ts'
import type { Db } from '../db/client.ts'
import type { Database } from '../db/schema.ts'
import type { Contracts } from '../indexer/engine/contracts.ts'
import { ArchivedRanges } from './archived.ts'
import type { AuditedContracts } from './audited-contracts.ts'
import { auditFigures } from './figures.ts'
import { Findings } from './findings.ts'
import { HistoryAudit } from './history.ts'
import { auditedLaunchpads } from './launchpads/index.ts'
import { PinnedReader } from './pinned-reader.ts'
import { auditRaises } from './raises.ts'
import { readQuotes } from './rates.ts'
import { auditStaking } from './staking.ts'
import { auditTokenState } from './state.ts'
import { auditTokenTrades } from './tokens.ts'

const TOKENS_PAGE = 500

/** The indexer is between blocks, or on another branch than the node: there is nothing to compare yet. */
export class NotSettledError extends Error {
  override name = 'NotSettledError'
}

export interface AuditSummary {
  block: number
  tokens: number
  logs: number
  compared: number
  differences: number
}

export interface AuditOptions {
  db: Db
  chain: Chain
  contracts: Contracts
  onDifference: (line: string) => void
  onProgress?: (line: string) => void
}

/**
 * Compares everything derived from the chain with the chain at the checkpoint block: the stored logs with the node's,
 * each row with its log, contract state with the sums of events, and every figure with a second computation. It reads
 * one snapshot of the database, token by token, and writes nothing. The node must serve the state of the checkpoint
 * block.
 */
export async function audit(options: AuditOptions): Promise<AuditSummary> {
  return options.db
    .transaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute((trx) => auditSnapshot(trx, options))
}

/** Audits the snapshot of a transaction. */
export async function auditSnapshot(
  trx: Transaction<Database>,
  { chain, contracts: configured, onDifference, onProgress = () => {} }: AuditOptions,
): Promise<AuditSummary> {
  const findings = new Findings(onDifference)
  const state = await findSettledState(trx, chain)
  const { checkpoint_number: block, clock_time: clock, wrapped_native: wrappedNative } = state
  const stored = state.contracts as Record<string, string[]>
  const listOf = (module: string) =>
    new Set([...(configured.addresses.get(module)?.keys() ?? []), ...(stored[module] ?? [])])
  const kinds = {
    ...(state.contract_kinds as Record<string, string>),
    ...Object.fromEntries(configured.addresses.get('market') ?? []),
  }
  const withKinds = (addresses: ReadonlySet<string>) =>
    new Map([...addresses].map((address) => [address, kinds[address] ?? 'launchpad']))
  const contracts: AuditedContracts = {
    ...{ launchpads: withKinds(listOf('market')), staking: listOf('staking'), raises: listOf('raises') },
    ...{
      wrappedNative,
      feed: configured.feed,
      startBlock: await findStart(trx, configured),
      quotes: await readQuotes(trx),
    },
  }
  findings.compare('chain_state wrapped_native', wrappedNative, configured.wrappedNative)

  onProgress(`Auditing at block ${block}`)
  const archived = await ArchivedRanges.read(trx)
  const history = await new HistoryAudit({ trx, chain, findings }, contracts, archived).run(block, (number) =>
    onProgress(`Logs and rows compared up to block ${number}`),
  )
  const reader = new PinnedReader(chain, block)
  let tokens = 0
  for await (const token of readTokens(trx)) {
    await auditTokenTrades(trx, findings, archived, token)
    await history.wallets.compare(trx, findings, token)
    const known = { contracts, lpBurned: history.lpBurned }
    await findings.attempt(`token ${token}`, () => auditTokenState(trx, findings, reader, known, token))
    tokens += 1
    if (tokens % 100 === 0) onProgress(`${tokens} of ${history.tokens} tokens compared`)
  }
  onProgress(`${tokens} tokens compared; summing up`)
  for (const [kind, launchpad] of Object.entries(auditedLaunchpads)) {
    const addresses = [...contracts.launchpads].flatMap(([address, one]) => (one === kind ? [address] : []))
    const state = { chain, reader, addresses, startBlock: contracts.startBlock, checkpoint: block }
    if (addresses.length > 0) await launchpad.compareContracts?.(trx, findings, state)
  }
  await auditStaking(trx, findings, { chain, reader, contracts: contracts.staking, checkpoint: block })
  await auditRaises(trx, findings, { chain, reader, contracts: contracts.raises, checkpoint: block })
  await auditFigures(trx, findings, clock)
  await compareOrphans(trx, findings)
  await compareTakenSymbols(trx, findings)
  await requireOnChain(chain, state)
  return { block, tokens, logs: history.logs, compared: findings.compared, differences: findings.differences }
}

async function findSettledState(trx: Transaction<Database>, chain: Chain) {
  const state = await trx.selectFrom('chain_state').selectAll().executeTakeFirst()
  if (!state || state.checkpoint_time === 0) throw new NotSettledError('Nothing has been indexed yet')
  if (state.halted !== null) throw new NotSettledError(`The indexer has halted: ${state.halted}`)
  await requireOnChain(chain, state)
  const open = await trx
    .selectFrom('deployments')
    .select('address')
    .where('followed_from', 'is not', null)
    .where('completed_at', 'is', null)
    .limit(1)
    .executeTakeFirst()
  if (open) throw new NotSettledError(`The history of ${open.address} is being indexed: let it end`)
  const ahead = await trx
    .selectFrom('blocks')
    .select('number')
    .where('number', '>', state.checkpoint_number)
    .limit(1)
    .executeTakeFirst()
  if (ahead) {
    throw new NotSettledError(
      `Block ${ahead.number} was synced by a receipt, and the indexer is at ${state.checkpoint_number}: let it catch up`,
    )
  }
  return state
}

/** Operators may have added a contract that is older than the configured ones. */
async function findStart(trx: Transaction<Database>, { startBlock }: Contracts): Promise<number> {
  const { rows } = await sql<{ first: number | null }>`select min(start_block) as first from deployments`.execute(trx)
  return Math.min(startBlock, rows[0]?.first ?? startBlock)
}

async function requireOnChain(
  chain: Chain,
  { checkpoint_number: number, checkpoint_hash: hash }: { checkpoint_number: number; checkpoint_hash: string | null },
): Promise<void> {
  const header = await chain.getHeader(number)
  if (header === null || (hash !== null && header.hash !== hash)) {
    throw new NotSettledError(
      `Block ${number}, which the indexer has reached, is not on the node's chain: let it catch up`,
    )
  }
}

async function* readTokens(trx: Transaction<Database>): AsyncGenerator<string> {
  let after = ''
  for (;;) {
    const { rows } = await sql<{ token: string }>`
      select token from readable_token_figures where token > ${after} order by token limit ${TOKENS_PAGE}`.execute(trx)
    for (const { token } of rows) yield token
    after = rows.at(-1)?.token ?? after
    if (rows.length < TOKENS_PAGE) return
  }
}

/**
 * Rows of tokens without figures, which the audit by token would skip; trades with contracts that are not their token's; tokens
 * with the number of another launch.
 */
async function compareOrphans(trx: Transaction<Database>, findings: Findings): Promise<void> {
  const { rows } = await sql<{ source: string; token: string }>`
    select distinct source, token from (
      select 'candles' as source, token from readable_candles union all select 'balances', token from readable_balances
      union all select 'tokens', address from tokens
    ) all_tokens where coalesce(token, '') not in (select token from readable_token_figures)`.execute(trx)
  for (const { source, token } of rows) findings.report(`${source} of ${token}: there are no figures of that token`)
  const { rows: foreign } = await sql<{ block_number: number; log_index: number }>`
    select t.block_number, t.log_index from readable_trades t join tokens k on k.address = t.token
    where (t.launchpad, t.quote_token) is distinct from (k.launchpad, k.quote_token)`.execute(trx)
  for (const { block_number, log_index } of foreign)
    findings.report(`trade ${block_number}/${log_index}: has another launchpad or quote asset than its token`)
  const { rows: misnumbered } = await sql<{ address: string }>`
    select t.address from tokens t left join token_ids k on k.id = t.id
    where k.address is distinct from t.address
      or k.creation is distinct from sha256(convert_to(t.address || t.tx_hash || t.creator, 'UTF8'))`.execute(trx)
  for (const { address } of misnumbered) findings.report(`token ${address}: has the number of another launch`)
}

/** Whether an older launch has the symbol, by its key, which indexer/market/store-launches.ts keeps. */
async function compareTakenSymbols(trx: Transaction<Database>, findings: Findings): Promise<void> {
  const { rows } = await sql<{ address: string; stored: boolean; taken: boolean }>`
    select address, stored, taken from (
      select address, symbol_taken_before as stored,
        rank() over (partition by symbol_key order by block_number, log_index) > 1 as taken
      from tokens
    ) ranked where stored <> taken order by address`.execute(trx)
  for (const { address, stored, taken } of rows)
    findings.report(`token ${address} symbol_taken_before: stored ${stored}, should be ${taken}`)
}
