import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { saleSupply } from '../../chain/curve.ts'
import type { RpcLog } from '../../chain/logs/log.ts'
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
import { compareCurve, compareProtocolFees } from './slipway-state.ts'

/** Our own contracts. */
export const slipway: AuditedLaunchpad = {
  topics: listTopics(
    launchpadAbi,
    'CurveCreate',
    'CurveBuy',
    'CurveSell',
    'CurveCompleted',
    'CurveGraduate',
    'CreatorFeeClaimed',
    'FeeRightTransferred',
    'FeeSharesUpdated',
  ),
  venue: 'uniswap-v2',
  compareToken: compareCurve,
  compareContracts: compareProtocolFees,
  learn(log) {
    const event = decodeByAbi(launchpadAbi, log)
    if (event?.eventName === 'CurveGraduate')
      return { kind: 'graduation', token: lower(event.args.token), pool: lower(event.args.pool) }
    if (event?.eventName !== 'CurveCreate') return undefined
    const { args } = event
    const [quote, token] = [big(args, 'virtualQuote'), big(args, 'virtualToken')]
    const soldOutAt = token - saleSupply(quote, token, big(args, 'targetQuote'))
    const created = { token: lower(args.token), creator: lower(args.creator), quoteToken: lower(args.quoteToken) }
    return { kind: 'launch', ...created, soldOutAt }
  },
  expect: expectLaunchpadLog,
}

const once = new Set(['CurveCreate', 'CurveCompleted', 'CurveGraduate'])

function expectLaunchpadLog(
  out: Expected,
  block: AuditedBlock,
  log: RpcLog,
  { tokens, isFirst, quoteOf }: Known,
): void {
  const event = decodeByAbi(launchpadAbi, log)
  if (!event) return
  const { eventName, args } = event
  const key = keyOf(block, log)
  const position = { block_number: block.number, log_index: Number(log.logIndex) }
  const token = lower(args.token)
  const act = (type: string, wallet: string) => ({ ...at(block, log), type, wallet, subject: token })
  const where = { launchpad: lower(log.address), block: block.number, log: Number(log.logIndex) }
  const launch = tokens.get(token)
  const isCreation = eventName === 'CurveCreate'
  const asset = isCreation ? quoteOf(lower(args.quoteToken), block.number) : (launch?.quote ?? null)
  if (asset === undefined || (!isCreation && !wasLaunchedBy(launch, where))) return
  const makes = eventName === 'CurveGraduate' ? [`pool ${lower(args.pool)}`] : []
  if (once.has(eventName) && !isFirst([`${eventName} ${token}`, ...makes], key)) return
  if (eventName === 'CurveCreate') {
    const row = expectToken(args, lower(log.address), at(block, log))
    out.tokens.set(token, { ...row, ...expectQuote(block, asset) })
    out.actions.set(key, act('create', lower(args.creator)))
    stage(out, token, { created_block: position.block_number, created_log: position.log_index })
  } else if (eventName === 'CurveBuy' || eventName === 'CurveSell') {
    const [side, quote, amount] =
      eventName === 'CurveBuy'
        ? (['buy', big(args, 'quoteIn'), big(args, 'tokenOut')] as const)
        : (['sell', big(args, 'quoteOut'), big(args, 'tokenIn')] as const)
    const columns = {
      ...{ token, trader: lower(args.trader), trader_known: true, recipient: lower(args.recipient) },
      ...{ side, venue: 'curve', pool: null },
      ...{ token_amount: amount, quote_amount: quote },
      ...{ protocol_fee: big(args, 'protocolFee'), creator_fee: big(args, 'creatorFee') },
      ...{ virtual_quote: big(args, 'virtualQuote'), virtual_token: big(args, 'virtualToken') },
      ...{ real_quote: big(args, 'realQuote'), real_token: big(args, 'realToken') },
    }
    expectTrade(out, block, log, columns, asset)
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

function expectToken(args: Args, launchpad: string, position: Row): Row {
  const [quote, target] = [big(args, 'virtualQuote'), big(args, 'targetQuote')]
  return {
    ...position,
    ...{ launchpad, creator: lower(args.creator), decimals: 18 },
    ...{ name: textOf(args, 'name'), symbol: textOf(args, 'symbol') },
    ...{ metadata_uri: textOf(args, 'contractURI'), total_supply: big(args, 'totalSupply') },
    ...{ initial_virtual_quote: quote, initial_virtual_token: big(args, 'virtualToken'), target_quote: target },
    initial_real_token: saleSupply(quote, big(args, 'virtualToken'), target),
    ...{ protocol_fee_bps: Number(args.protocolFeeBps), creator_fee_bps: Number(args.creatorFeeBps) },
    ...{ launchpad_kind: 'slipway', lifecycle: 'curve', venue: 'uniswap-v2' },
  }
}
