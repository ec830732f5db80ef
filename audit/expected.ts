import { type Abi, decodeEventLog, type Hex, zeroAddress } from 'viem'
import { formatUsd } from '../chain/amounts.ts'
import type { RpcLog } from '../chain/logs/log.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import type { Row } from './findings.ts'
import type { AuditedQuote, BlockWorth } from './rates.ts'
import { truncateText, validateArgs } from './validate-args.ts'

export interface AuditedPool {
  token: string
  isToken0: boolean
  /** The block of the graduation, or of the launch in the pool. */
  since: number
  sinceLog: number
  sinceTx: string
  venue: string
  /** null: the native coin. */
  quote: AuditedQuote | null
  /** Whether the token was launched in it. */
  isDirect: boolean
  /** The contract that holds it, and its tokens; null: it is a contract. */
  manager: string | null
}

/** A launch, or the position of another event, with its launchpad. */
export interface AuditedLaunch {
  launchpad: string
  creator: string
  /** The virtual tokens that are left when the curve is sold out. */
  soldOutAt: bigint
  /** The virtual reserves of its curve at the launch, where later logs leave them out; quote with 18 decimals. */
  virtual?: { quote: bigint; token: bigint } | undefined
  /** null: the native coin. */
  quote: AuditedQuote | null
  block: number
  log: number
}

/** Whether the launchpad launched the token before the event. */
export const wasLaunchedBy = (
  launch: AuditedLaunch | undefined,
  said: Omit<AuditedLaunch, 'creator' | 'soldOutAt' | 'quote'>,
): boolean =>
  launch?.launchpad === said.launchpad &&
  (launch.block < said.block || (launch.block === said.block && launch.log < said.log))

/** The launches and pools so far. */
export interface Known {
  tokens: ReadonlyMap<string, AuditedLaunch>
  pools: ReadonlyMap<string, AuditedPool>
  isFirst: IsFirst
  /** The quote asset that a launch names; undefined: none in which launches count at that block. */
  quoteOf: (named: string, block: number) => AuditedQuote | null | undefined
  /** Whether a configured contract is one that pools share. */
  isShared(address: string): boolean
  /** What contract_reads has of a log; null if that is nothing. */
  answerOf(log: RpcLog): string | null
  /** The contract that holds the pools of a venue; null: they are contracts. */
  managerOf(venue: string): string | null
}

export interface AuditedBlock {
  number: number
  time: number
  nativeUsd: bigint | null
  worth: BlockWorth
  /** Prices of quote assets that are read from the chain. */
  read: ReadonlyMap<string, bigint>
  logs: readonly RpcLog[]
}

/** Expected rows by block/logIndex; sightings by token/wallet. */
export interface Expected {
  trades: Map<string, Row>
  actions: Map<string, Row>
  poolStates: Map<string, Row>
  /** Those that are no part of a trade. */
  transfers: Map<string, Row>
  /** Tokens that left a wallet, by token/wallet. */
  sent: Map<string, bigint>
  /** The key is block/logIndex/position. */
  feeShares: Map<string, Row>
  stakingEvents: Map<string, Row>
  /** The columns of staking_pools set by a creation, by id. */
  stakingPools: Map<string, Row>
  raiseEvents: Map<string, Row>
  /** The columns set by the creation of raises and proposals, by id. */
  raises: Map<string, Row>
  raiseProposals: Map<string, Row>
  tokens: Map<string, Row>
  /** The columns of token_figures set by a token's stages, by token. */
  stages: Map<string, Row>
  lpBurned: Map<string, bigint>
  sightings: Map<string, { block: number; time: number }>
}

/** Whether an event is the first to create all of these; otherwise it creates none of them. */
export type IsFirst = (makes: readonly string[], key: string) => boolean

export const makeExpected = (): Expected => ({
  trades: new Map(),
  actions: new Map(),
  poolStates: new Map(),
  transfers: new Map(),
  sent: new Map(),
  feeShares: new Map(),
  stakingEvents: new Map(),
  stakingPools: new Map(),
  raiseEvents: new Map(),
  raises: new Map(),
  raiseProposals: new Map(),
  tokens: new Map(),
  stages: new Map(),
  lpBurned: new Map(),
  sightings: new Map(),
})

export const lower = (address: unknown) => String(address).toLowerCase()
export type Args = Record<string, unknown>
export const big = (args: Args, name: string) => args[name] as bigint
/** An event's text as it is stored. */
export const textOf = (args: Args, name: string) => truncateText(name, cleanLine(String(args[name])))

/** Decodes a log with an ABI; undefined for unknown events and for arguments out of bounds. */
export function decodeByAbi(abi: Abi, { topics, data }: Pick<RpcLog, 'topics' | 'data'>) {
  try {
    const { eventName, args } = decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data })
    const valid = validateArgs((args ?? {}) as Args)
    return valid && { eventName: String(eventName), args: valid }
  } catch {
    return undefined
  }
}

export function at({ number, time }: AuditedBlock, log: RpcLog): Row {
  return { block_number: number, log_index: Number(log.logIndex), block_time: time, tx_hash: log.transactionHash }
}

export const keyOf = (block: AuditedBlock, log: RpcLog) => `${block.number}/${Number(log.logIndex)}`

export function recordSighting(out: Expected, block: AuditedBlock, token: string, wallet: string): void {
  const key = `${token}/${wallet}`
  if (!out.sightings.has(key)) out.sightings.set(key, { block: block.number, time: block.time })
}

export function stage(out: Expected, token: string, columns: Row): void {
  out.stages.set(token, { ...out.stages.get(token), ...columns })
}

/** columns include virtual_quote and virtual_token, whose ratio is the price. */
export function expectTrade(
  out: Expected,
  block: AuditedBlock,
  log: RpcLog,
  columns: Row,
  quote: AuditedQuote | null,
): void {
  const { worth } = block
  const paid = columns.quote_amount as bigint
  const value = worth.usdOf(quote, paid)
  out.trades.set(keyOf(block, log), {
    ...at(block, log),
    ...columns,
    ...worth.priceColumns(quote, columns.virtual_quote as bigint, columns.virtual_token as bigint),
    ...{ value_usd: value === null ? null : formatUsd(value), value_native: worth.nativeOf(quote, paid) },
  })
  recordSighting(out, block, String(columns.token), String(columns.trader))
}

/** The columns of tokens about the quote asset. */
export const expectQuote = ({ worth }: AuditedBlock, quote: AuditedQuote | null): Row => ({
  quote_token: quote?.address ?? zeroAddress,
  quote_decimals: quote?.decimals ?? 18,
  rate_native: worth.of(quote).native,
})
