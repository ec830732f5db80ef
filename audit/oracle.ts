import { type Abi, decodeEventLog, type Hex, zeroAddress } from 'viem'
import { launchTokenAbi } from '../chain/abi/launch-token.ts'
import { launchpadAbi } from '../chain/abi/launchpad.ts'
import { uniswapV2PairAbi } from '../chain/abi/uniswap-v2-pair.ts'
import { formatUsd, nativeToUsd, usdToNumber } from '../chain/amounts.ts'
import { saleSupply } from '../chain/curve.ts'
import type { RpcLog } from '../chain/logs/log.ts'
import { cleanLine } from '../lib/text/clean-text.ts'
import type { Row } from './findings.ts'
import { priceState } from './pool-price.ts'
import { syncTopic } from './topics.ts'
import { truncateText, validateArgs } from './validate-args.ts'

/*
 * Computes the expected rows of a block's logs a second time, with viem's decoder and with every rule written again, so
 * that a bug in the indexer is not repeated here.
 */
export interface AuditedPool {
  token: string
  isToken0: boolean
  /** The block of the graduation. */
  since: number
  sinceLog: number
  sinceTx: string
}

/** A launch, or the position of another event, with its launchpad. */
export interface AuditedLaunch {
  launchpad: string
  creator: string
  block: number
  log: number
}

/** Whether the launchpad launched the token before the event. */
export const wasLaunchedBy = (launch: AuditedLaunch | undefined, said: Omit<AuditedLaunch, 'creator'>): boolean =>
  launch?.launchpad === said.launchpad &&
  (launch.block < said.block || (launch.block === said.block && launch.log < said.log))

/** The launches and pools so far. */
interface Known {
  tokens: ReadonlyMap<string, AuditedLaunch>
  pools: ReadonlyMap<string, AuditedPool>
  isFirst: IsFirst
}

export interface AuditedBlock {
  number: number
  time: number
  quoteUsd: bigint | null
  logs: readonly RpcLog[]
}

/** Expected rows by block/logIndex; sightings by token/wallet. */
export interface Expected {
  trades: Map<string, Row>
  actions: Map<string, Row>
  poolStates: Map<string, Row>
  /** By block/logIndex/position. */
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

const once = new Set(['CurveCreate', 'CurveCompleted', 'CurveGraduate'])

export const makeExpected = (): Expected => ({
  trades: new Map(),
  actions: new Map(),
  poolStates: new Map(),
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
type Args = Record<string, unknown>
const big = (args: Args, name: string) => args[name] as bigint
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

export function expectBlock(out: Expected, block: AuditedBlock, launchpads: ReadonlySet<string>, known: Known): void {
  const ofTransactions = Map.groupBy(block.logs, ({ transactionHash }) => transactionHash)
  for (const logs of ofTransactions.values()) {
    for (const log of logs) {
      if (launchpads.has(lower(log.address))) expectLaunchpadLog(out, block, log, known)
      else expectTokenLog(out, block, log, known.tokens.get(lower(log.address)))
    }
    for (const [address, own] of Map.groupBy(logs, (log) => lower(log.address))) {
      const pool = known.pools.get(address)
      if (pool) expectPoolLogs(out, block, { logs: own, pool, all: logs, address })
    }
  }
}

export function at({ number, time }: AuditedBlock, log: RpcLog): Row {
  return { block_number: number, log_index: Number(log.logIndex), block_time: time, tx_hash: log.transactionHash }
}

export const keyOf = (block: AuditedBlock, log: RpcLog) => `${block.number}/${Number(log.logIndex)}`

function recordSighting(out: Expected, block: AuditedBlock, token: string, wallet: string): void {
  const key = `${token}/${wallet}`
  if (!out.sightings.has(key)) out.sightings.set(key, { block: block.number, time: block.time })
}

function expectTokenLog(out: Expected, block: AuditedBlock, log: RpcLog, launch: AuditedLaunch | undefined): void {
  if (!launch) return
  const event = decodeByAbi(launchTokenAbi, log)
  const token = lower(log.address)
  if (event?.eventName === 'ContractURIUpdated')
    out.actions.set(keyOf(block, log), {
      ...at(block, log),
      ...{ type: 'update_metadata', wallet: launch.creator, subject: token },
    })
  if (event?.eventName !== 'Transfer') return
  for (const wallet of [lower(event.args.from), lower(event.args.to)]) {
    if (wallet !== zeroAddress || wallet === lower(event.args.to)) recordSighting(out, block, token, wallet)
  }
}

function expectLaunchpadLog(out: Expected, block: AuditedBlock, log: RpcLog, { tokens, isFirst }: Known): void {
  const event = decodeByAbi(launchpadAbi, log)
  if (!event) return
  const { eventName, args } = event
  const key = keyOf(block, log)
  const position = { block_number: block.number, log_index: Number(log.logIndex) }
  const token = lower(args.token)
  const act = (type: string, wallet: string) => ({ ...at(block, log), type, wallet, subject: token })
  const where = { launchpad: lower(log.address), block: block.number, log: Number(log.logIndex) }
  if (eventName !== 'CurveCreate' && !wasLaunchedBy(tokens.get(token), where)) return
  const makes = eventName === 'CurveGraduate' ? [`pool ${lower(args.pool)}`] : []
  if (once.has(eventName) && !isFirst([`${eventName} ${token}`, ...makes], key)) return
  if (eventName === 'CurveCreate') {
    out.tokens.set(token, expectToken(args, lower(log.address), at(block, log)))
    out.actions.set(key, act('create', lower(args.creator)))
    stage(out, token, { created_block: position.block_number, created_log: position.log_index })
  } else if (eventName === 'CurveBuy' || eventName === 'CurveSell') {
    const [side, quote, amount] =
      eventName === 'CurveBuy'
        ? (['buy', big(args, 'quoteIn'), big(args, 'tokenOut')] as const)
        : (['sell', big(args, 'quoteOut'), big(args, 'tokenIn')] as const)
    expectTrade(out, block, log, {
      ...{ token, trader: lower(args.trader), trader_known: true, recipient: lower(args.recipient) },
      ...{ side, venue: 'curve', pool: null },
      ...{ token_amount: amount, quote_amount: quote },
      ...{ protocol_fee: big(args, 'protocolFee'), creator_fee: big(args, 'creatorFee') },
      ...{ virtual_quote: big(args, 'virtualQuote'), virtual_token: big(args, 'virtualToken') },
      ...{ real_quote: big(args, 'realQuote'), real_token: big(args, 'realToken') },
    })
  } else if (eventName === 'CurveCompleted') {
    stage(out, token, { completed_block: position.block_number, completed_log: position.log_index })
  } else if (eventName === 'CurveGraduate') {
    out.actions.set(key, act('graduate', lower(log.address)))
    out.lpBurned.set(token, big(args, 'lpBurned'))
    const graduated = { graduated_block: position.block_number, graduated_log: position.log_index }
    stage(out, token, { ...graduated, graduated_at: block.time, pool: lower(args.pool) })
  } else if (eventName === 'CreatorFeeClaimed') {
    out.actions.set(key, act('claim_creator_fee', lower(args.recipient)))
  } else if (eventName === 'FeeRightTransferred') {
    out.actions.set(key, act('transfer_fee_right', lower(args.from)))
    expectFeeShares(out, { ...position, token, owner: lower(args.to) }, [], [])
  } else if (eventName === 'FeeSharesUpdated') {
    out.actions.set(key, act('split_creator_fees', lower(args.owner)))
    const row = { ...position, token, owner: lower(args.owner) }
    expectFeeShares(out, row, args.recipients as readonly string[], args.bps as readonly number[])
  }
}

/** Without recipients, the owner has all. */
function expectFeeShares(out: Expected, row: Row, recipients: readonly string[], bps: readonly number[]): void {
  const count = Math.max(recipients.length, 1)
  for (let position = 0; position < count; position++) {
    const [recipient, share] = [lower(recipients[position] ?? row.owner), bps[position] ?? 10_000]
    out.feeShares.set(`${row.block_number}/${row.log_index}/${position}`, { ...row, position, recipient, bps: share })
  }
}

function stage(out: Expected, token: string, columns: Row): void {
  out.stages.set(token, { ...out.stages.get(token), ...columns })
}

function expectToken(args: Args, launchpad: string, position: Row): Row {
  const [quote, target] = [big(args, 'virtualQuote'), big(args, 'targetQuote')]
  return {
    ...position,
    ...{ launchpad, creator: lower(args.creator), quote_token: lower(args.quoteToken) },
    ...{ name: textOf(args, 'name'), symbol: textOf(args, 'symbol') },
    ...{ metadata_uri: textOf(args, 'contractURI'), total_supply: big(args, 'totalSupply') },
    ...{ initial_virtual_quote: quote, initial_virtual_token: big(args, 'virtualToken'), target_quote: target },
    initial_real_token: saleSupply(quote, big(args, 'virtualToken'), target),
    ...{ protocol_fee_bps: Number(args.protocolFeeBps), creator_fee_bps: Number(args.creatorFeeBps) },
  }
}

/** columns include virtual_quote and virtual_token, whose ratio is the price. */
function expectTrade(out: Expected, block: AuditedBlock, log: RpcLog, columns: Row): void {
  const { quoteUsd } = block
  const price = columns.virtual_token === 0n ? 0 : Number(columns.virtual_quote) / Number(columns.virtual_token)
  const worth = quoteUsd === null ? null : nativeToUsd(columns.quote_amount as bigint, quoteUsd)
  // The bound of USD values: 10^15 dollars.
  const value = worth === null || worth > 10n ** 23n ? null : formatUsd(worth)
  out.trades.set(keyOf(block, log), {
    ...at(block, log),
    ...columns,
    ...{ price, price_usd: quoteUsd === null ? null : price * usdToNumber(quoteUsd), value_usd: value },
  })
  recordSighting(out, block, String(columns.token), String(columns.trader))
}

/** The logs of a pair in one transaction: a Sync belongs to the swap that follows, or else is a state of its own. */
function expectPoolLogs(
  out: Expected,
  block: AuditedBlock,
  { logs, pool, all, address }: { logs: readonly RpcLog[]; pool: AuditedPool; all: readonly RpcLog[]; address: string },
): void {
  const order = (zero: bigint, one: bigint) => (pool.isToken0 ? [zero, one] : [one, zero]) as [bigint, bigint]
  let open: { log: RpcLog; token: bigint; quote: bigint } | undefined
  const close = () => {
    if (!open) return
    const reserves = { pool_quote: open.quote, pool_token: open.token, ...priceState(block, open, { logs, pool }) }
    const { block_number, log_index } = at(block, open.log)
    out.poolStates.set(keyOf(block, open.log), {
      block_number: block_number ?? null,
      log_index: log_index ?? null,
      token: pool.token,
      ...reserves,
    })
    open = undefined
  }
  for (const log of logs) {
    const event = decodeByAbi(uniswapV2PairAbi, log)
    // A Sync out of bounds ends the state before it all the same.
    if (log.topics[0] === syncTopic) close()
    if (event?.eventName === 'Sync') {
      const [token, quote] = order(big(event.args, 'reserve0'), big(event.args, 'reserve1'))
      open = { log, token, quote }
    } else if (event?.eventName === 'Swap' && open) {
      const { args } = event
      const [tokenIn, quoteIn] = order(big(args, 'amount0In'), big(args, 'amount1In'))
      const [tokenOut, quoteOut] = order(big(args, 'amount0Out'), big(args, 'amount1Out'))
      // Input on the side that was paid out is a donation, unless both sides were: then it repays a loan.
      const loan = tokenOut > 0n && quoteOut > 0n
      const isBuy = loan ? tokenOut > tokenIn : tokenOut > 0n
      const back = { token: loan ? (isBuy ? tokenIn : tokenOut) : 0n, quote: loan ? (isBuy ? quoteOut : quoteIn) : 0n }
      const amount = isBuy ? tokenOut - back.token : tokenIn - back.token
      const value = isBuy ? quoteIn - back.quote : quoteOut - back.quote
      if (amount <= 0n || value <= 0n) continue
      const to = lower(args.to)
      const seller = isBuy ? to : findSeller(all, { swap: log, sync: open.log, pool, pair: address })
      expectTrade(out, block, log, {
        ...{ token: pool.token, trader: seller ?? to, trader_known: seller !== undefined, recipient: to },
        ...{ side: isBuy ? 'buy' : 'sell', venue: 'pool', pool: address },
        ...{ token_amount: amount, quote_amount: value },
        ...{ protocol_fee: 0n, creator_fee: 0n, virtual_quote: open.quote, virtual_token: open.token },
        ...{ real_quote: null, real_token: null },
      })
      open = undefined
    }
  }
  close()
}

/**
 * The wallet that sent the most tokens to the pair between the Sync before the swap's and the swap; undefined without a
 * sender or after a tie.
 */
function findSeller(
  all: readonly RpcLog[],
  { swap, sync, pool, pair }: { swap: RpcLog; sync: RpcLog; pool: AuditedPool; pair: string },
): string | undefined {
  const before = all.slice(0, all.indexOf(sync))
  const start = before.findLastIndex((log) => lower(log.address) === pair && log.topics[0] === syncTopic) + 1
  const sent: Record<string, bigint> = {}
  for (const log of all.slice(start, all.indexOf(swap))) {
    const event = lower(log.address) === pool.token ? decodeByAbi(launchTokenAbi, log) : undefined
    if (event?.eventName !== 'Transfer' || lower(event.args.to) !== pair) continue
    const from = lower(event.args.from)
    sent[from] = (sent[from] ?? 0n) + big(event.args, 'value')
  }
  const senders = Object.entries(sent)
    .filter(([from, value]) => value > 0n && from !== pair && from !== zeroAddress)
    .sort(([, a], [, b]) => (a < b ? 1 : -1))
  const [first, second] = senders
  return first?.[1] === second?.[1] ? undefined : first?.[0]
}
