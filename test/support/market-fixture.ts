import type { Insertable } from 'kysely'
import { zeroAddress } from 'viem'
import type { Db } from '../../db/client.ts'
import { toBytes } from '../../db/hex.ts'
import type { Database } from '../../db/schema.ts'
import { toActionRows, toBalanceRows, toFiguresRow, toMetadataRows, toTokenRow, toTradeRow } from './market-rows.ts'
import {
  FINALIZED,
  HEAD,
  LAUNCHPAD,
  QUOTE_USD,
  type SimulatedToken,
  type SimulatedTrade,
  simulateMarket,
  timeOf,
  WRAPPED_NATIVE,
} from './market-simulation.ts'
import { toCandleRows, toDayRows, toPlatformFigures, toWalletRows } from './market-sums.ts'
import { insertActions, insertBalances, insertBlocks, insertCandles, insertTrades } from './readable-rows.ts'

/** Fills an empty database with the simulated market, as if indexed to the head. */
export async function fillMarket(db: Db): Promise<SimulatedToken[]> {
  const tokens = simulateMarket()
  const trades = tokens.flatMap((token) => token.trades)
  await insertChain(db, tokens, trades)
  await db
    .insertInto('contract_ids')
    .values([zeroAddress, LAUNCHPAD].map((address, index) => ({ id: index + 1, address: toBytes(address) })))
    .execute()
  const rows = tokens.map((token) => ({ ...toTokenRow(token), symbol_taken_before: isTaken(token, tokens) }))
  const numbers = rows.map(({ address, tx_hash }) => ({ address, creation: toBytes(tx_hash) }))
  // In the order of their numbers, which the database counts.
  await insertRows(db, 'token_ids', numbers)
  await insertRows(db, 'tokens', rows)
  const figures = tokens.map(toFiguresRow)
  await insertRows(db, 'token_figures', figures)
  await insertRows(
    db,
    'pools',
    figures.flatMap(({ token_id, pool }) => (pool ? { token_id, pool } : [])),
  )
  await insertTrades(db, trades.map(toTradeRow))
  await insertActions(db, tokens.flatMap(toActionRows))
  await insertBalances(db, tokens.flatMap(toBalanceRows))
  await insertCandles(db, tokens.flatMap(toCandleRows))
  await insertRows(db, 'wallet_figures', toWalletRows(trades))
  await db.insertInto('token_metadata').values(toMetadataRows(tokens)).execute()
  const platform = toPlatformFigures(tokens, trades)
  await db.updateTable('platform_figures').set(platform).execute()
  const { traders_total, traders_h24, ...sums } = platform
  await db
    .insertInto('launchpad_figures')
    .values({ launchpad: LAUNCHPAD, kind: 'slipway', ...sums })
    .execute()
  await insertRows(db, 'launchpad_days', toDayRows(trades))
  return tokens
}

/** Whether an older token has the symbol, in any letter case. */
const isTaken = (token: SimulatedToken, tokens: readonly SimulatedToken[]): boolean =>
  tokens.some((other) => other.block < token.block && other.symbol.toLowerCase() === token.symbol.toLowerCase())

async function insertRows<T extends keyof Database>(db: Db, table: T, rows: Insertable<Database[T]>[]): Promise<void> {
  for (let at = 0; at < rows.length; at += 200) {
    await db
      .insertInto(table as 'tokens')
      .values(rows.slice(at, at + 200) as never)
      .execute()
  }
}

async function insertChain(db: Db, tokens: SimulatedToken[], trades: SimulatedTrade[]): Promise<void> {
  const numbers = new Set([HEAD, ...tokens.map((token) => token.block), ...trades.map((trade) => trade.block)])
  const blocks = [...numbers].map((number) => ({
    number,
    hash: hashOf(number),
    time: timeOf(number),
    quote_usd: `${QUOTE_USD}`,
  }))
  await insertBlocks(db, blocks)
  await db
    .insertInto('chain_state')
    .values({
      chain_id: 31_337,
      genesis_hash: hashOf(0),
      wrapped_native: WRAPPED_NATIVE,
      contracts: JSON.stringify({ market: [LAUNCHPAD] }),
      checkpoint_number: HEAD,
      checkpoint_hash: hashOf(HEAD),
      checkpoint_time: timeOf(HEAD),
      clock_time: timeOf(HEAD),
      head_number: HEAD,
      head_time: timeOf(HEAD),
      finalized_number: FINALIZED,
      quote_usd: `${QUOTE_USD}`,
    })
    .execute()
}

const hashOf = (block: number) => `0xb10c${block.toString(16).padStart(60, '0')}`
