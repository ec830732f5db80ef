import { type Abi, decodeEventLog, type Hex, parseAbi, zeroAddress } from 'viem'
import type { RpcLog } from '../../chain/logs/log.ts'
import { cleanLine, cleanText } from '../../lib/text/clean-text.ts'
import {
  type Args,
  type AuditedBlock,
  at,
  decodeByAbi,
  type Expected,
  expectQuote,
  type Known,
  keyOf,
  lower,
  stage,
  textOf,
} from '../expected.ts'
import { listTopics } from '../topics-of.ts'
import { auditedVenues } from '../venues/index.ts'
import type { AuditedLaunchpad } from './audited-launchpad.ts'
import { mintedBefore } from './minted-before.ts'

const v31 = parseAbi([
  'event TokenCreated(address indexed tokenAddress, address indexed creatorAdmin, address indexed interfaceAdmin, address creatorRewardRecipient, address interfaceRewardRecipient, uint256 positionId, string name, string symbol, int24 startingTickIfToken0IsNewToken, string metadata, uint256 amountTokensBought, uint256 vaultDuration, uint8 vaultPercentage, address msgSender)',
])
const v4 = parseAbi([
  'event TokenCreated(address msgSender, address indexed tokenAddress, address indexed tokenAdmin, string tokenImage, string tokenName, string tokenSymbol, string tokenMetadata, string tokenContext, int24 startingTick, address poolHook, bytes32 poolId, address pairedToken, address locker, address mevModule, uint256 extensionsSupply, address[] extensions)',
])
const factory = parseAbi([
  'event PoolCreated(address indexed token0, address indexed token1, uint24 indexed fee, int24 tickSpacing, address pool)',
])

/** Clanker v3.1: the pool of a launch is the last one with the token that a factory has created before, in its transaction. */
export const clankerV31: AuditedLaunchpad = {
  topics: listTopics(v31, 'TokenCreated'),
  venue: 'uniswap-v3',
  learn: (log, before) => {
    const said = readV31(log, before)
    return said && { ...said, kind: 'launch', soldOutAt: 0n, quoteToken: said.pairedWith }
  },
  expect: (out, block, log, known, all) => {
    const before = all.slice(0, all.indexOf(log)).filter(({ address }) => known.isShared(lower(address)))
    const said = readV31(log, before)
    if (said) expectLaunch(out, block, log, known, { ...said, all, kind: 'clanker-v31', venue: 'uniswap-v3' })
  },
}

/** Clanker v4: a launch names its pool, and what its token is paired with. */
export const clankerV4: AuditedLaunchpad = {
  topics: listTopics(v4, 'TokenCreated'),
  venue: 'uniswap-v4',
  learn: (log) => {
    const said = readV4(log)
    return said && { ...said, kind: 'launch', soldOutAt: 0n, quoteToken: said.pairedWith }
  },
  expect: (out, block, log, known, all) => {
    const said = readV4(log)
    if (said) expectLaunch(out, block, log, known, { ...said, all, kind: 'clanker-v4', venue: 'uniswap-v4' })
  },
}

/** What a launch says. */
interface Said {
  token: string
  creator: string
  name: string
  symbol: string
  metadata: string
  image: string
  pool: string
  pairedWith: string
}

function readV31(log: RpcLog, before: readonly RpcLog[]): Said | undefined {
  const args = decodeArgs(v31, log)
  if (!args) return undefined
  const token = lower(args.tokenAddress)
  const created = before.flatMap((other): Args[] => {
    const event = decodeByAbi(factory, other)
    return event ? [event.args] : []
  })
  const own = created.findLast(({ token0, token1 }) => lower(token0) === token || lower(token1) === token)
  if (!own) return undefined
  return {
    ...{ token, creator: lower(args.creatorAdmin), name: textOf(args, 'name'), symbol: textOf(args, 'symbol') },
    ...{ metadata: String(args.metadata), image: '' },
    ...{ pool: lower(own.pool), pairedWith: lower(lower(own.token0) === token ? own.token1 : own.token0) },
  }
}

function readV4(log: RpcLog): Said | undefined {
  const args = decodeArgs(v4, log)
  if (!args) return undefined
  const text = (name: string, kept: string) => textOf({ [kept]: args[name] }, kept)
  return {
    ...{ token: lower(args.tokenAddress), creator: lower(args.tokenAdmin) },
    ...{ name: text('tokenName', 'name'), symbol: text('tokenSymbol', 'symbol') },
    ...{ metadata: String(args.tokenMetadata), image: cleanLine(String(args.tokenImage)) },
    ...{ pool: lower(args.poolId), pairedWith: lower(args.pairedToken) },
  }
}

/** Numbers of any size: none is kept. */
function decodeArgs(abi: Abi, { topics, data }: RpcLog): Args | undefined {
  try {
    return decodeEventLog({ abi, topics: topics as [Hex, ...Hex[]], data }).args as unknown as Args
  } catch {
    return undefined
  }
}

function expectLaunch(
  out: Expected,
  block: AuditedBlock,
  log: RpcLog,
  { tokens, pools, isFirst, quoteOf, managerOf }: Known,
  said: Said & { all: readonly RpcLog[]; kind: string; venue: string },
): void {
  const { token, creator, all } = said
  const asset = quoteOf(said.pairedWith, block.number)
  const [launchpad, position] = [lower(log.address), { block: block.number, log: Number(log.logIndex) }]
  const launch = tokens.get(token)
  if (asset === undefined || launch?.block !== position.block || launch.log !== position.log) return
  const key = keyOf(block, log)
  if (!isFirst([`CurveCreate ${token}`], key)) return
  const pool = pools.get(said.pool)
  const isOwn = pool?.token === token && isFirst([`CurveGraduate ${token}`, `pool ${said.pool}`], key)
  const venue = auditedVenues[said.venue]
  const isHeld = venue?.shared?.holdsPools === true
  const price = isOwn && venue?.firstPrice(all.slice(0, all.indexOf(log)), said.pool, pool)
  out.tokens.set(token, {
    ...at(block, log),
    ...{ launchpad, launchpad_kind: said.kind, venue: said.venue, lifecycle: 'direct', creator },
    ...expectQuote(block, asset),
    ...{ decimals: 18, name: said.name, symbol: said.symbol, metadata_uri: uriOf(said) },
    total_supply: mintedBefore(all, log, token),
    ...{ initial_virtual_quote: price ? price.quote : 0n, initial_virtual_token: price ? price.token : 0n },
    ...{ pool_manager: isHeld ? managerOf(said.venue) : null, pool_native: isHeld && said.pairedWith === zeroAddress },
    ...{ initial_real_token: 0n, target_quote: 0n, protocol_fee_bps: null, creator_fee_bps: null },
  })
  out.actions.set(key, { ...at(block, log), type: 'create', wallet: creator, subject: token })
  stage(out, token, { created_block: position.block, created_log: position.log })
  if (!isOwn) return
  const opened = { graduated_block: position.block, graduated_log: position.log, graduated_at: null }
  stage(out, token, { ...opened, pool: said.pool })
}

/** A document of ERC-7572 in at most 2,048 characters, without the description if that makes it fit. */
function uriOf({ metadata, image }: Said): string {
  const named: Record<string, string> = {}
  const description = descriptionOf(metadata)
  if (description) named.description = description
  if (image) named.image = image
  const fits = [named, image ? { image } : {}].map((fields) =>
    Object.keys(fields).length === 0 ? '' : `data:application/json;base64,${toBase64(JSON.stringify(fields))}`,
  )
  return fits.find((uri) => uri.length <= 2_048) ?? ''
}

const toBase64 = (text: string) => btoa(String.fromCodePoint(...new TextEncoder().encode(text)))

function descriptionOf(metadata: string): string {
  try {
    const { description } = JSON.parse(metadata)
    return typeof description === 'string' ? cleanText(description) : ''
  } catch {
    return ''
  }
}
