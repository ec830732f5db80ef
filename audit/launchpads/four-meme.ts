import { decodeEventLog, type Hex, parseAbi } from 'viem'
import { uniswapV2FactoryAbi } from '../../chain/abi/uniswap-v2-factory.ts'
import { uniswapV2PairAbi } from '../../chain/abi/uniswap-v2-pair.ts'
import type { RpcLog } from '../../chain/logs/log.ts'
import {
  type Args,
  type AuditedBlock,
  type AuditedLaunch,
  at,
  big,
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
import type { Findings } from '../findings.ts'
import type { PinnedReader } from '../pinned-reader.ts'
import { listTopics } from '../topics-of.ts'
import type { AuditedLaunchpad, AuditedToken } from './audited-launchpad.ts'

const abi = parseAbi([
  'event TokenCreate(address creator, address token, uint256 requestId, string name, string symbol, uint256 totalSupply, uint256 launchTime, uint256 launchFee)',
  'event TokenPurchase(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds)',
  'event TokenSale(address token, address account, uint256 price, uint256 amount, uint256 cost, uint256 fee, uint256 offers, uint256 funds)',
  'event TradeStop(address token)',
  'event LiquidityAdded(address base, uint256 offers, address quote, uint256 funds)',
])
const managerAbi = parseAbi([
  'struct TokenInfo { address base; address quote; uint256 template; uint256 totalSupply; uint256 maxOffers; uint256 maxRaising; uint256 launchTime; uint256 offers; uint256 funds; uint256 lastPrice; uint256 K; uint256 T; uint256 status; }',
  'function _tokenInfos(address token) view returns (TokenInfo)',
])

const MAX_AMOUNT = 2n ** 128n - 1n

/** Four.meme V2: what its events leave out is in contract_reads. */
export const fourMeme: AuditedLaunchpad = {
  topics: listTopics(abi, 'TokenCreate', 'TokenPurchase', 'TokenSale', 'TradeStop', 'LiquidityAdded'),
  venue: 'uniswap-v2',
  learn(log, _before, answer) {
    const event = decode(log)
    const words = readWords(answer)
    if (event?.eventName === 'TokenCreate' && words.length === 3)
      return {
        ...{ kind: 'launch', token: lower(event.args.token), creator: lower(event.args.creator) },
        ...{ soldOutAt: -words[1]!, quoteToken: toAddress(words[0]!) },
      }
    if (event?.eventName === 'LiquidityAdded' && words.length === 1)
      return { kind: 'graduation', token: lower(event.args.base), pool: toAddress(words[0]!) }
    return undefined
  },
  expect,
  compareToken,
}

/** The arguments that are kept must be amounts. */
const kept: Readonly<Record<string, readonly string[]>> = {
  TokenCreate: ['totalSupply'],
  ...{ TokenPurchase: ['price', 'amount', 'cost', 'fee', 'offers', 'funds'] },
  ...{ TokenSale: ['price', 'amount', 'cost', 'fee', 'offers', 'funds'] },
}

function decode({ topics, data }: Pick<RpcLog, 'topics' | 'data'>): { eventName: string; args: Args } | undefined {
  try {
    const event = decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data })
    const args = event.args as unknown as Args
    const isBounded = (kept[event.eventName] ?? []).every((name) => big(args, name) <= MAX_AMOUNT)
    return isBounded && amountOf({ ...event, args }) !== undefined ? { ...event, args } : undefined
  } catch {
    return undefined
  }
}

/** What the wallet has paid or got, 0 for another event; undefined if that is no amount. */
function amountOf({ eventName, args }: { eventName: string; args: Args }): bigint | undefined {
  if (eventName !== 'TokenPurchase' && eventName !== 'TokenSale') return 0n
  const [cost, fee] = [big(args, 'cost'), big(args, 'fee')]
  const amount = eventName === 'TokenPurchase' ? cost + fee : cost - fee
  return amount < 0n || amount > MAX_AMOUNT ? undefined : amount
}

/** The words of a stored answer; none without one. */
const readWords = (answer: string | null): bigint[] =>
  (answer?.slice(2).match(/.{64}/g) ?? []).map((w) => BigInt(`0x${w}`))

const toAddress = (word: bigint): string => `0x${word.toString(16).padStart(40, '0')}`

function expect(out: Expected, block: AuditedBlock, log: RpcLog, { tokens, isFirst, quoteOf, answerOf }: Known): void {
  const event = decode(log)
  if (!event) return
  const { eventName, args } = event
  const key = keyOf(block, log)
  const token = lower(eventName === 'LiquidityAdded' ? args.base : args.token)
  const where = { launchpad: lower(log.address), block: block.number, log: Number(log.logIndex) }
  const act = (type: string, wallet: string) => ({ ...at(block, log), type, wallet, subject: token })
  const words = readWords(answerOf(log))
  if (eventName === 'TokenCreate') {
    const asset = words.length === 3 ? quoteOf(toAddress(words[0]!), block.number) : undefined
    if (asset === undefined || !isFirst([`CurveCreate ${token}`], key)) return
    out.tokens.set(token, {
      ...at(block, log),
      ...expectQuote(block, asset),
      ...{ launchpad: where.launchpad, launchpad_kind: 'four-meme', lifecycle: 'curve', venue: 'uniswap-v2' },
      ...{ creator: lower(args.creator), decimals: 18, name: textOf(args, 'name'), symbol: textOf(args, 'symbol') },
      ...{ metadata_uri: '', total_supply: big(args, 'totalSupply') },
      ...{ initial_virtual_quote: 0n, initial_virtual_token: 0n },
      ...{ initial_real_token: words[1]!, target_quote: words[2]! },
      ...{ protocol_fee_bps: null, creator_fee_bps: null },
    })
    out.actions.set(key, act('create', lower(args.creator)))
    stage(out, token, { created_block: where.block, created_log: where.log })
    return
  }
  const launch = tokens.get(token)
  if (!launch || !wasLaunchedBy(launch, where)) return
  if (eventName === 'TradeStop') {
    if (isFirst([`CurveCompleted ${token}`], key))
      stage(out, token, { completed_block: where.block, completed_log: where.log })
  } else if (eventName === 'LiquidityAdded') {
    const pool = words.length === 1 ? toAddress(words[0]!) : undefined
    if (pool === undefined || !isFirst([`CurveGraduate ${token}`, `pool ${pool}`], key)) return
    out.actions.set(key, act('graduate', where.launchpad))
    const graduated = { graduated_block: where.block, graduated_log: where.log }
    stage(out, token, { ...graduated, graduated_at: block.time, pool })
  } else expectCurveTrade(out, block, log, { ...event, token, launch })
}

function expectCurveTrade(
  out: Expected,
  block: AuditedBlock,
  log: RpcLog,
  { eventName, args, token, launch }: { eventName: string; args: Args; token: string; launch: AuditedLaunch },
): void {
  const wallet = lower(args.account)
  const columns = {
    ...{ token, trader: wallet, trader_known: true, recipient: wallet, venue: 'curve', pool: null },
    ...{ side: eventName === 'TokenPurchase' ? 'buy' : 'sell', protocol_fee: big(args, 'fee'), creator_fee: null },
    ...{ token_amount: big(args, 'amount'), quote_amount: amountOf({ eventName, args })! },
    // The price of 10^18 base units: no event contains the virtual reserves.
    ...{ virtual_quote: big(args, 'price'), virtual_token: 10n ** 18n },
    ...{ real_quote: big(args, 'funds'), real_token: big(args, 'offers') },
  }
  expectTrade(out, block, log, columns, launch.quote)
}

/** Compares a token with what TokenManager2 says at the checkpoint, and its pool with the factory of that pair. */
async function compareToken(findings: Findings, reader: PinnedReader, { token, row }: AuditedToken): Promise<void> {
  const info = await reader.read<Args>(String(row.launchpad), managerAbi, '_tokenInfos', [token])
  const isQuoted = BigInt(String(info.quote)) !== 0n
  findings.compareRows(`token ${token}`, row, {
    ...(isQuoted && { quote_token: lower(info.quote) }),
    ...{ initial_real_token: big(info, 'maxOffers'), target_quote: big(info, 'maxRaising') },
    ...(!row.pool &&
      Number(row.trades_total) > 0 && { real_quote: big(info, 'funds'), real_token: big(info, 'offers') }),
  })
  if (!row.pool) return
  const pool = String(row.pool)
  const factory = await reader.read<string>(pool, uniswapV2PairAbi, 'factory')
  const sides = ['token0', 'token1'].map((name) => reader.read<string>(pool, uniswapV2PairAbi, name))
  const pair = await reader.read<string>(factory, uniswapV2FactoryAbi, 'getPair', await Promise.all(sides))
  findings.compare(`token ${token} pool`, pool, lower(pair))
}
