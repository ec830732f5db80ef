import { parseAbi, zeroAddress } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import { cleanLine } from '../../lib/text/clean-text.ts'
import {
  type Args,
  type AuditedBlock,
  at,
  big,
  decodeByAbi,
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
import type { Row } from '../findings.ts'
import { listTopics } from '../topics-of.ts'
import type { AuditedLaunchpad } from './audited-launchpad.ts'
import { mintedBefore } from './minted-before.ts'

const abi = parseAbi([
  'event CurveCreate(address indexed creator, address indexed token, address indexed pool, string name, string symbol, string tokenURI, uint256 virtualMon, uint256 virtualToken, uint256 targetToken)',
  'event CurveBuy(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut)',
  'event CurveSell(address indexed sender, address indexed token, uint256 amountIn, uint256 amountOut)',
  'event CurveSync(address indexed token, uint256 realMon, uint256 realToken, uint256 virtualMon, uint256 virtualToken)',
  'event CurveTokenLocked(address indexed token)',
  'event CurveGraduate(address indexed token, address indexed pool)',
])

/** nad.fun on Monad, its first bonding curve. */
export const nadFun: AuditedLaunchpad = {
  topics: listTopics(
    abi,
    ...['CurveCreate', 'CurveBuy', 'CurveSell', 'CurveSync', 'CurveTokenLocked', 'CurveGraduate'],
  ),
  venue: 'uniswap-v3',
  learn(log) {
    const event = decode(log)
    if (event?.eventName === 'CurveGraduate')
      return { kind: 'graduation', token: lower(event.args.token), pool: lower(event.args.pool) }
    if (event?.eventName !== 'CurveCreate') return undefined
    const { args } = event
    return {
      kind: 'launch',
      token: lower(args.token),
      creator: lower(args.creator),
      soldOutAt: big(args, 'targetToken'),
      quoteToken: zeroAddress,
    }
  },
  expect,
}

/** A curve that ends above its start, at nothing, or with more of the quote asset than 128 bits can hold, is invalid. */
function decode(log: Pick<RpcLog, 'topics' | 'data'>) {
  const event = decodeByAbi(abi, log)
  if (event?.eventName !== 'CurveCreate') return event
  const [first, last] = [big(event.args, 'virtualToken'), big(event.args, 'targetToken')]
  if (last === 0n || last > first) return undefined
  return targetOf(event.args) < 2n ** 128n ? event : undefined
}

function expect(
  out: Expected,
  block: AuditedBlock,
  log: RpcLog,
  { tokens, isFirst }: Known,
  all: readonly RpcLog[],
): void {
  const event = decode(log)
  if (!event) return
  const { eventName, args } = event
  const key = keyOf(block, log)
  const [token, launchpad] = [lower(args.token), lower(log.address)]
  const act = (type: string, wallet: string) => ({ ...at(block, log), type, wallet, subject: token })
  const where = { launchpad, block: block.number, log: Number(log.logIndex) }
  const launch = tokens.get(token)
  if (eventName !== 'CurveCreate' && !wasLaunchedBy(launch, where)) return
  const makes = eventName === 'CurveGraduate' ? [`pool ${lower(args.pool)}`] : []
  // The names of the other oracles: a token is launched once, by one launchpad.
  const once: Record<string, string> = {
    ...{ CurveCreate: 'CurveCreate', CurveTokenLocked: 'CurveCompleted', CurveGraduate: 'CurveGraduate' },
  }
  if (eventName in once && !isFirst([`${once[eventName]} ${token}`, ...makes], key)) return
  if (eventName === 'CurveCreate') {
    const row = expectToken(args, launchpad, mintedBefore(all, log, token))
    out.tokens.set(token, { ...at(block, log), ...row, ...expectQuote(block, null) })
    out.actions.set(key, act('create', lower(args.creator)))
    stage(out, token, { created_block: block.number, created_log: where.log })
  } else if (eventName === 'CurveBuy' || eventName === 'CurveSell') {
    const after = all.filter((other) => wasLaunchedBy(launch, { ...where, log: Number(other.logIndex) }))
    const state = findState(after, log)
    if (!state) return
    const isBuy = eventName === 'CurveBuy'
    const wallet = lower(args.sender)
    const left = big(state, 'virtualToken') - launch!.soldOutAt
    const columns = {
      ...{ token, trader: wallet, trader_known: true, recipient: wallet, side: isBuy ? 'buy' : 'sell' },
      ...{ venue: 'curve', pool: null, protocol_fee: null, creator_fee: null },
      token_amount: big(args, isBuy ? 'amountOut' : 'amountIn'),
      quote_amount: big(args, isBuy ? 'amountIn' : 'amountOut'),
      ...{ virtual_quote: big(state, 'virtualMon'), virtual_token: big(state, 'virtualToken') },
      ...{ real_quote: big(state, 'realMon'), real_token: left > 0n ? left : 0n },
    }
    expectTrade(out, block, log, columns, null)
  } else if (eventName === 'CurveTokenLocked') {
    stage(out, token, { completed_block: block.number, completed_log: where.log })
  } else if (eventName === 'CurveGraduate') {
    out.actions.set(key, act('graduate', launchpad))
    const graduated = { graduated_block: block.number, graduated_log: where.log }
    stage(out, token, { ...graduated, graduated_at: block.time, pool: lower(args.pool) })
  }
}

/** What the curve has taken in when its product is the same with the last tokens. */
function targetOf(args: Args): bigint {
  const [quote, token, last] = [big(args, 'virtualMon'), big(args, 'virtualToken'), big(args, 'targetToken')]
  return (quote * token) / last - quote
}

function expectToken(args: Args, launchpad: string, supply: bigint): Row {
  const [quote, token, last] = [big(args, 'virtualMon'), big(args, 'virtualToken'), big(args, 'targetToken')]
  return {
    ...{ launchpad, launchpad_kind: 'nad-fun', lifecycle: 'curve', venue: 'uniswap-v3' },
    ...{ creator: lower(args.creator), decimals: 18, name: textOf(args, 'name') },
    ...{ symbol: textOf(args, 'symbol'), metadata_uri: uriOf(args), total_supply: supply },
    ...{ initial_virtual_quote: quote, initial_virtual_token: token, initial_real_token: token - last },
    target_quote: targetOf(args),
    ...{ protocol_fee_bps: null, creator_fee_bps: null },
  }
}

function uriOf(args: Args): string {
  const uri = cleanLine(String(args.tokenURI))
  return uri.length > 2_048 ? '' : uri
}

/** The reserves after a trade: the CurveSync beside it, before or behind, that belongs to no earlier trade. all: after the launch. */
function findState(all: readonly RpcLog[], trade: RpcLog): Args | undefined {
  const token = lower(decode(trade)?.args.token)
  const states = new Map<RpcLog, Args>()
  let waiting: { trade?: RpcLog; state?: Args } = {}
  for (const log of all) {
    const event = lower(log.address) === lower(trade.address) ? decode(log) : undefined
    if (!event || lower(event.args.token) !== token) continue
    if (event.eventName === 'CurveSync') {
      if (waiting.trade) states.set(waiting.trade, event.args)
      waiting = waiting.trade ? {} : { state: event.args }
    } else if (event.eventName === 'CurveBuy' || event.eventName === 'CurveSell') {
      if (waiting.state) states.set(log, waiting.state)
      waiting = waiting.state ? {} : { trade: log }
    }
  }
  return states.get(trade)
}
