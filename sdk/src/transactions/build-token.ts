import type { Schema } from '../types.ts'
import { type AmountLike, applySlippage, type Hex, toBigInt } from '../values.ts'
import {
  ERC20_APPROVE,
  LAUNCH_TOKEN_SET_CONTRACT_URI,
  LAUNCHPAD_BUY,
  LAUNCHPAD_CLAIM_CREATOR_FEE,
  LAUNCHPAD_CREATE,
  LAUNCHPAD_GRADUATE,
  LAUNCHPAD_SELL,
  LAUNCHPAD_SET_FEE_SHARES,
  LAUNCHPAD_TRANSFER_FEE_RIGHT,
  LAUNCHPAD_WITHDRAW_HELD_FEES,
  UNISWAP_V2_ROUTER02_SWAP_EXACT_ETH_FOR_TOKENS,
  UNISWAP_V2_ROUTER02_SWAP_EXACT_TOKENS_FOR_ETH,
} from './contracts.ts'
import {
  buildCall,
  type Deployments,
  findContract,
  findWrappedNative,
  type UnsignedTransaction,
} from './unsigned-transaction.ts'

/** Time until the deadline of a trade that has none. */
const LIFETIME_SECONDS = 1_200

/** What a launch gets: see readLaunchTerms. */
export interface LaunchTerms {
  /** Native coin that completes the curve. */
  targetQuote: AmountLike
  protocolFeeBps: number
  creatorFeeBps: number
}

export interface LaunchOptions {
  /** 1 to 64 bytes. */
  name: string
  /** 1 to 16 bytes. */
  symbol: string
  /** ERC-7572 metadata, as returned by `uploadMetadata`; at most 512 bytes. */
  metadataUri?: string
  /** Native coin to buy tokens with in the same transaction, fees included. */
  initialBuy?: AmountLike
  /** Tokens that the initial buy must at least yield. */
  minimumOut?: AmountLike
  /** Terms that the creator agrees to. The launch reverts if others hold when it is mined. */
  terms: LaunchTerms
  /** 32 bytes that determine the token's address, together with the creator: see readTokenAddress. Random by default. */
  salt?: Hex
  /** Unix seconds; in 20 minutes by default. */
  deadline?: number
}

/** Builds the launch of a token by the wallet that sends it. */
export function buildLaunch(config: Deployments, options: LaunchOptions): UnsignedTransaction {
  const { name, symbol, metadataUri = '', initialBuy = 0n, minimumOut = 0n, terms } = options
  const { salt = createSalt(), deadline = defaultDeadline() } = options
  const { targetQuote, protocolFeeBps, creatorFeeBps } = terms
  const agreed = [targetQuote, BigInt(protocolFeeBps), BigInt(creatorFeeBps)]
  const launch = [name, symbol, metadataUri, salt, agreed, minimumOut, BigInt(deadline)]
  return buildCall(findContract(config, 'launchpad'), LAUNCHPAD_CREATE, [launch], initialBuy)
}

/** 32 random bytes. */
export function createSalt(): Hex {
  const bytes = crypto.getRandomValues(new Uint8Array(32))
  return `0x${Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')}`
}

export interface TradeParameters {
  token: string
  /** A buy: native coin, fees included. A sell: tokens. */
  amount: AmountLike
  /** Output below which the transaction reverts: see applySlippage. */
  minimumOut: AmountLike
  /** Wallet that receives the output. */
  recipient: string
  /** Unix seconds; in 20 minutes by default. */
  deadline?: number
  /** `curve` until graduation, then `pool`; `curve` by default. */
  venue?: 'curve' | 'pool'
  /** The token's launchpad; the newest by default. */
  launchpad?: string | undefined
}

/** Builds a buy with the native coin. */
export function buildBuy(config: Deployments, options: TradeParameters): UnsignedTransaction {
  const { token, amount, minimumOut, recipient, deadline = defaultDeadline(), venue, launchpad } = options
  if (venue === 'pool') {
    const path = [findWrappedNative(config), token]
    const values = [minimumOut, path, recipient, BigInt(deadline)]
    const router = findContract(config, 'uniswap-router')
    return buildCall(router, UNISWAP_V2_ROUTER02_SWAP_EXACT_ETH_FOR_TOKENS, values, amount)
  }
  const values = [token, recipient, minimumOut, BigInt(deadline)]
  return buildCall(launchpad ?? findContract(config, 'launchpad'), LAUNCHPAD_BUY, values, amount)
}

/** Builds a sell. Only one in the pool needs an allowance, for its router: see buildApproval. */
export function buildSell(config: Deployments, options: TradeParameters): UnsignedTransaction {
  const { token, amount, minimumOut, recipient, deadline = defaultDeadline(), venue, launchpad } = options
  if (venue === 'pool') {
    const path = [token, findWrappedNative(config)]
    const values = [amount, minimumOut, path, recipient, BigInt(deadline)]
    return buildCall(findContract(config, 'uniswap-router'), UNISWAP_V2_ROUTER02_SWAP_EXACT_TOKENS_FOR_ETH, values)
  }
  const values = [token, amount, recipient, minimumOut, BigInt(deadline)]
  return buildCall(launchpad ?? findContract(config, 'launchpad'), LAUNCHPAD_SELL, values)
}

/** A quote of `quoteTrade`. */
export type TradeQuote = Pick<
  Schema<'Quote'>,
  | 'token'
  | 'side'
  | 'venue'
  | 'router'
  | 'amountIn'
  | 'amountOut'
  | 'refund'
  | 'slippageBps'
  | 'deadline'
  | 'recipient'
  | 'call'
  | 'approval'
>

export interface QuotedTradeOptions {
  recipient: string
  /** The slippage of the quote by default. */
  slippageBps?: number
  /** The token's launchpad, for a quote on the curve without a call; the newest by default. */
  launchpad?: string
}

/**
 * Builds the trade of a quote: its own call, or one for another recipient or slippage. Throws for another in a pool of another
 * launchpad: request a quote for it.
 */
export function buildTrade(
  config: Deployments,
  quote: TradeQuote,
  { recipient, slippageBps = quote.slippageBps, launchpad = quote.call?.to }: QuotedTradeOptions,
): UnsignedTransaction {
  const { token, side, venue, deadline, call } = quote
  if (call && quote.recipient === recipient.toLowerCase() && quote.slippageBps === slippageBps)
    return { ...call, value: toBigInt(call.value) }
  if (quote.router && quote.router !== findContract(config, 'uniswap-router')) throw new Error('Request another quote')
  const minimumOut = applySlippage(quote.amountOut, slippageBps)
  const trade = { token, minimumOut, recipient, deadline, venue, launchpad }
  if (side === 'sell') return buildSell(config, { ...trade, amount: quote.amountIn })
  return buildBuy(config, { ...trade, amount: toBigInt(quote.amountIn) + toBigInt(quote.refund) })
}

/** Builds the permission for a contract to spend the sender's tokens. `amount` replaces the previous allowance. */
export function buildApproval(options: { token: string; spender: string; amount: AmountLike }): UnsignedTransaction {
  return buildCall(options.token, ERC20_APPROVE, [options.spender, options.amount])
}

export interface TokenOptions {
  token: string
  /** The token's launchpad; the newest by default. */
  launchpad?: string
}

/** Builds the move of a completed curve's liquidity into its pool. Any wallet may send it. */
export function buildGraduation(config: Deployments, { token, launchpad }: TokenOptions): UnsignedTransaction {
  return buildCall(launchpad ?? findContract(config, 'launchpad'), LAUNCHPAD_GRADUATE, [token])
}

/** Builds the payout of the trading fees that a token has earned for its creator, to all recipients. Any wallet may send it. */
export function buildCreatorFeeClaim(config: Deployments, { token, launchpad }: TokenOptions): UnsignedTransaction {
  return buildCall(launchpad ?? findContract(config, 'launchpad'), LAUNCHPAD_CLAIM_CREATOR_FEE, [token])
}

export interface FeeShare {
  recipient: string
  /** Basis points. */
  bps: number
}

/**
 * Builds a split of later payouts of a token's creator fees; what is due is paid out first. At most 10 shares of 10,000 basis points
 * together; none: all goes to the owner of the right. Only that owner may send it: the creator, unless the right was transferred.
 */
export function buildFeeShares(
  config: Deployments,
  { token, launchpad, shares }: TokenOptions & { shares: readonly FeeShare[] },
): UnsignedTransaction {
  const values = [token, shares.map(({ recipient }) => recipient), shares.map(({ bps }) => BigInt(bps))]
  return buildCall(launchpad ?? findContract(config, 'launchpad'), LAUNCHPAD_SET_FEE_SHARES, values)
}

/** Builds the transfer of the right to a token's creator fees, for good; what is due is paid out first, and a split ends. */
export function buildFeeRightTransfer(
  config: Deployments,
  { token, launchpad, to }: TokenOptions & { to: string },
): UnsignedTransaction {
  return buildCall(launchpad ?? findContract(config, 'launchpad'), LAUNCHPAD_TRANSFER_FEE_RIGHT, [token, to])
}

/** Builds the withdrawal of payouts that the sender did not accept, to any address. */
export function buildHeldFeeWithdrawal(
  config: Deployments,
  { to, launchpad }: { to: string; launchpad?: string },
): UnsignedTransaction {
  return buildCall(launchpad ?? findContract(config, 'launchpad'), LAUNCHPAD_WITHDRAW_HELD_FEES, [to])
}

/** Builds a change of the token's on-chain metadata URI. Only the creator may send it. */
export function buildMetadataChange(options: { token: string; metadataUri: string }): UnsignedTransaction {
  return buildCall(options.token, LAUNCH_TOKEN_SET_CONTRACT_URI, [options.metadataUri])
}

/** 20 minutes after a time in milliseconds since 1970, in Unix seconds. */
export const defaultDeadline = (time = Date.now()): number => Math.floor(time / 1_000) + LIFETIME_SECONDS
