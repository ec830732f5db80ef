import { decodeEventLog, type Hex, parseAbi, toEventSelector, zeroAddress } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import {
  type Args,
  type AuditedBlock,
  type AuditedLaunch,
  at,
  type Expected,
  expectQuote,
  expectTrade,
  type Known,
  keyOf,
  lower,
  stage,
  textOf,
  wasLaunchedBy,
} from '../expected.ts'
import { type Findings, SilentContractError } from '../findings.ts'
import type { PinnedReader } from '../pinned-reader.ts'
import type { AuditedQuote } from '../rates.ts'
import { listTopics } from '../topics-of.ts'
import type { AuditedLaunchpad, AuditedToken } from './audited-launchpad.ts'

const abi = parseAbi([
  'event TokenCreated(uint256 ts, address creator, uint256 nonce, address token, string name, string symbol, string meta)',
  'event TokenQuoteSet(address token, address quoteToken)',
  'event TokenCurveSetV2(address token, uint256 r, uint256 h, uint256 k)',
  'event TokenCurveSet(address token, address curve, uint256 curveParameter)',
  'event TokenDexSupplyThreshSet(address token, uint256 dexSupplyThresh)',
  'event TokenBought(uint256 ts, address token, address buyer, uint256 amount, uint256 eth, uint256 fee, uint256 postPrice)',
  'event TokenSold(uint256 ts, address token, address seller, uint256 amount, uint256 eth, uint256 fee, uint256 postPrice)',
  'event FlapTokenCirculatingSupplyChanged(address token, uint256 newSupply)',
  'event LaunchedToDEX(address token, address pool, uint256 amount, uint256 eth)',
  'event FlapTokenCLPoolCreated(address token, bytes32 poolId, uint160 sqrtPriceX96)',
])
const names = abi.map(({ name }) => name)
const nameOf = new Map<string, string>(abi.map((event) => [toEventSelector(event), event.name]))
const portalAbi = parseAbi([
  'struct TokenState { uint8 status; uint256 reserve; uint256 circulatingSupply; uint256 price; uint8 tokenVersion; uint256 r; uint256 h; uint256 k; uint256 dexSupplyThresh; address quoteTokenAddress; bool nativeToQuoteSwapEnabled; bytes32 extensionID; uint256 taxRate; address pool; uint256 progress; uint8 lpFeeProfile; uint8 dexId; }',
  'function getTokenV7(address token) view returns (TokenState)',
])
const poolAbi = parseAbi(['function fee() view returns (uint24)'])

const MAX_AMOUNT = 2n ** 128n - 1n
const BILLION = 10n ** 27n
const WAD = 10n ** 18n
const TRADABLE = 1

/** Flap: a launch and its terms are several logs of one transaction. */
export const flap: AuditedLaunchpad = {
  topics: listTopics(abi, ...names),
  venue: 'uniswap-v2-or-v3',
  learn(log, others) {
    const said = readLaunch(log, others)
    if (said) {
      const { token, creator, quoteToken, r, supply, sale } = said
      const virtual = { quote: r, token: supply }
      return { kind: 'launch', token, creator, quoteToken, soldOutAt: supply - sale, virtual }
    }
    const end = readEnd(log, others)
    return end?.pool ? { kind: 'graduation', token: end.token, pool: end.pool } : undefined
  },
  expect,
  compareToken,
}

const isEvent = (log: RpcLog, name: string) => nameOf.get(log.topics[0] ?? '') === name
const toAddress = (word: bigint): string => `0x${BigInt.asUintN(160, word).toString(16).padStart(40, '0')}`

/** The words of the data; undefined for another event, or with less than `count`. */
function readWords(log: RpcLog, name: string, count: number): bigint[] | undefined {
  const words = (log.data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))
  return isEvent(log, name) && words.length >= count ? words : undefined
}

/** The amounts that the last log of an event says of a token: null if one is missing or too large, undefined without a log. */
function readAmounts(others: readonly RpcLog[], name: string, token: string, indexes: readonly number[]) {
  const words = others.flatMap((log) => {
    const found = readWords(log, name, 1)
    return found && toAddress(found[0]!) === token ? [found] : []
  })
  const last = words.at(-1)
  const amounts = last && indexes.map((index) => last[index])
  if (amounts === undefined) return undefined
  return amounts.every((amount) => amount !== undefined && amount <= MAX_AMOUNT) ? (amounts as bigint[]) : null
}

/** What a launch says, with the terms in the other logs of its transaction; amounts of the quote asset have 18 decimals. */
function readLaunch(log: RpcLog, others: readonly RpcLog[]) {
  const args = isEvent(log, 'TokenCreated') ? decodeCreated(log) : undefined
  if (!args) return undefined
  const token = lower(args.token)
  const quotes = others.flatMap((other) => {
    const words = readWords(other, 'TokenQuoteSet', 1)
    return words && toAddress(words[0]!) === token ? [words[1]] : []
  })
  const latest = readAmounts(others, 'TokenCurveSetV2', token, [1, 2, 3])
  const legacy = latest === undefined ? readAmounts(others, 'TokenCurveSet', token, [2]) : undefined
  const sale = readAmounts(others, 'TokenDexSupplyThreshSet', token, [1])?.[0]
  const r = latest?.[0] ?? legacy?.[0]
  if (!r || !sale || (quotes.length > 0 && quotes.at(-1) === undefined)) return undefined
  const supply = BILLION + (latest?.[1] ?? 0n)
  const k = (r * supply) / WAD
  const off = latest ? k - latest[2]! : 0n
  if (sale > BILLION || sale >= supply || supply > MAX_AMOUNT) return undefined
  if ((off < 0n ? -off : off) * 1_000_000_000n > k) return undefined
  const target = ceilDiv(r * supply, supply - sale) - r
  if (target > MAX_AMOUNT) return undefined
  const quoteToken = quotes.length === 0 ? zeroAddress : toAddress(quotes.at(-1)!)
  return { args, token, creator: lower(args.creator), quoteToken, r, supply, sale, target }
}

function decodeCreated({ topics, data }: RpcLog): Args | undefined {
  try {
    return decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data }).args as unknown as Args
  } catch {
    return undefined
  }
}

/** The end of a curve; pool: null if another contract holds it. */
function readEnd(log: RpcLog, others: readonly RpcLog[]): { token: string; pool: string | null } | undefined {
  const words = readWords(log, 'LaunchedToDEX', 4)
  if (!words || words[2]! > MAX_AMOUNT || words[3]! > MAX_AMOUNT) return undefined
  const token = toAddress(words[0]!)
  const isHeld = readAmounts(others, 'FlapTokenCLPoolCreated', token, []) !== undefined
  return { token, pool: isHeld ? null : toAddress(words[1]!) }
}

const ceilDiv = (value: bigint, divisor: bigint) => (value + divisor - 1n) / divisor
const inUnits = (wads: bigint, quote: AuditedQuote | null) => (wads * 10n ** BigInt(quote?.decimals ?? 18)) / WAD

interface Trade {
  token: string
  wallet: string
  side: 'buy' | 'sell'
  amount: bigint
  paid: bigint
  fee: bigint
}

function readTrade(log: RpcLog): Trade | undefined {
  const side = isEvent(log, 'TokenBought') ? 'buy' : 'sell'
  const words = readWords(log, side === 'buy' ? 'TokenBought' : 'TokenSold', 7)
  if (!words) return undefined
  const [amount, paid, fee] = words.slice(3, 6) as [bigint, bigint, bigint]
  if ([amount, paid, fee].some((value) => value > MAX_AMOUNT)) return undefined
  return { token: toAddress(words[1]!), wallet: toAddress(words[2]!), side, amount, paid, fee }
}

function expect(out: Expected, block: AuditedBlock, log: RpcLog, known: Known, all: readonly RpcLog[]): void {
  const { tokens, isFirst } = known
  const key = keyOf(block, log)
  const where = { launchpad: lower(log.address), block: block.number, log: Number(log.logIndex) }
  const own = all.filter((other) => lower(other.address) === where.launchpad)
  const said = readLaunch(log, own)
  if (said) expectLaunch(out, block, log, known, said)
  const end = readEnd(log, own)
  const trade = readTrade(log)
  const token = end?.token ?? trade?.token ?? ''
  const launch = tokens.get(token)
  if (!launch || !wasLaunchedBy(launch, where)) return
  if (end?.pool === null) {
    if (isFirst([`CurveCompleted ${token}`], key))
      stage(out, token, { completed_block: where.block, completed_log: where.log })
  } else if (end) {
    if (!isFirst([`CurveGraduate ${token}`, `pool ${end.pool}`], key)) return
    out.actions.set(key, { ...at(block, log), type: 'graduate', wallet: where.launchpad, subject: token })
    const graduated = { graduated_block: where.block, graduated_log: where.log }
    stage(out, token, { ...graduated, graduated_at: block.time, pool: end.pool })
  } else if (trade) {
    const after = own.filter((other) => wasLaunchedBy(launch, { ...where, log: Number(other.logIndex) }))
    const sold = findSold(after, log, launch)
    if (sold !== undefined) expectCurveTrade(out, block, log, { trade, launch, sold })
  }
}

function expectLaunch(
  out: Expected,
  block: AuditedBlock,
  log: RpcLog,
  { isFirst, quoteOf }: Known,
  { args, token, creator, quoteToken, ...terms }: NonNullable<ReturnType<typeof readLaunch>>,
): void {
  const asset = quoteOf(quoteToken, block.number)
  const key = keyOf(block, log)
  if (asset === undefined || !isFirst([`CurveCreate ${token}`], key)) return
  const meta = cleanLine(String(args.meta))
  const uri = /^[A-Za-z0-9_]+$/.test(meta) ? `ipfs://${meta}` : meta
  // The type of its pool shows at its graduation: see compareToken.
  out.tokens.set(token, {
    ...at(block, log),
    ...expectQuote(block, asset),
    ...{ launchpad: lower(log.address), launchpad_kind: 'flap', lifecycle: 'curve', creator, decimals: 18 },
    ...{ name: textOf(args, 'name'), symbol: textOf(args, 'symbol'), metadata_uri: uri.length > 2_048 ? '' : uri },
    ...{ total_supply: BILLION, initial_real_token: terms.sale, target_quote: inUnits(terms.target, asset) },
    ...{ initial_virtual_quote: inUnits(terms.r, asset), initial_virtual_token: terms.supply },
    ...{ protocol_fee_bps: null, creator_fee_bps: null },
  })
  out.actions.set(key, { ...at(block, log), type: 'create', wallet: creator, subject: token })
  stage(out, token, { created_block: block.number, created_log: Number(log.logIndex) })
}

function expectCurveTrade(
  out: Expected,
  block: AuditedBlock,
  log: RpcLog,
  { trade, launch, sold }: { trade: Trade; launch: AuditedLaunch; sold: bigint },
): void {
  const start = startOf(launch)
  const left = start.token - sold
  const quote = ceilDiv(start.quote * start.token, left)
  const unsold = left - launch.soldOutAt
  const columns = {
    ...{ token: trade.token, trader: trade.wallet, trader_known: true, recipient: trade.wallet },
    ...{ venue: 'curve', pool: null, side: trade.side, protocol_fee: trade.fee, creator_fee: null },
    ...{ token_amount: trade.amount, quote_amount: trade.paid, virtual_quote: quote, virtual_token: left },
    ...{ real_quote: quote - start.quote, real_token: unsold > 0n ? unsold : 0n },
  }
  expectTrade(out, block, log, columns, launch.quote)
}

/** The virtual reserves at the launch, in base units. */
const startOf = ({ virtual, quote }: AuditedLaunch) => ({
  quote: inUnits(virtual!.quote, quote),
  token: virtual!.token,
})

/** The tokens that are sold after a trade: what the event beside it says, if a curve can be there. own: after the launch. */
function findSold(own: readonly RpcLog[], wanted: RpcLog, launch: AuditedLaunch): bigint | undefined {
  const { token } = readTrade(wanted)!
  const start = startOf(launch)
  let waiting: { trade?: RpcLog; sold?: bigint } = {}
  for (const log of own) {
    const said = readAmounts([log], 'FlapTokenCirculatingSupplyChanged', token, [1])?.[0]
    const isPossible =
      said !== undefined && said < start.token && ceilDiv(start.quote * start.token, start.token - said) <= MAX_AMOUNT
    if (isPossible) {
      if (waiting.trade === wanted) return said
      waiting = waiting.trade ? {} : { sold: said }
    } else if (readTrade(log)?.token === token) {
      if (waiting.sold !== undefined && log === wanted) return waiting.sold
      waiting = waiting.sold !== undefined ? {} : { trade: log }
    }
  }
  return undefined
}

/** Compares a token with what the Portal says at the checkpoint, and the type of its pool with what the pool answers. */
async function compareToken(findings: Findings, reader: PinnedReader, { token, row }: AuditedToken): Promise<void> {
  const state = await reader.read<{
    status: number
    reserve: bigint
    circulatingSupply: bigint
    r: bigint
    h: bigint
    dexSupplyThresh: bigint
    quoteTokenAddress: string
    pool: string
  }>(String(row.launchpad), portalAbi, 'getTokenV7', [token])
  const units = 10n ** BigInt(Number(row.quote_decimals))
  const { dexSupplyThresh: sale, circulatingSupply: sold } = state
  const isTrading = state.status === TRADABLE
  findings.compareRows(`token ${token}`, row, {
    ...(BigInt(state.quoteTokenAddress) !== 0n && { quote_token: lower(state.quoteTokenAddress) }),
    ...{ initial_virtual_quote: (state.r * units) / WAD, initial_virtual_token: BILLION + state.h },
    initial_real_token: sale,
    ...(isTrading && { real_token: sale > sold ? sale - sold : 0n }),
    venue: row.pool ? await readType(reader, String(row.pool)) : 'uniswap-v2-or-v3',
    ...(row.pool && { pool: lower(state.pool) }),
  })
  // What was paid is kept to the last unit, and what a curve needs is rounded.
  const difference = BigInt(String(row.real_quote)) - state.reserve
  if (isTrading && (difference < 0n ? -difference : difference) > state.reserve / 10n ** 15n + 10n)
    findings.report(`token ${token} real_quote: stored ${row.real_quote}, should be about ${state.reserve}`)
}

/** Only pools of Uniswap V3 have a fee of their own. */
const readType = (reader: PinnedReader, pool: string): Promise<string> =>
  reader
    .read(pool, poolAbi, 'fee')
    .then(() => 'uniswap-v3')
    .catch((error: unknown) => {
      if (error instanceof SilentContractError) return 'uniswap-v2'
      throw error
    })
