import type { Client } from '../client.ts'
import { callNode } from '../operations.ts'
import { decodeArray, decodeValues, encodeCall } from '../transactions/abi-codec.ts'
import {
  ERC20_ALLOWANCE,
  LAUNCH_TOKEN_LAUNCHPAD,
  LAUNCHPAD_DEFAULTS,
  LAUNCHPAD_FEE_OWNER,
  LAUNCHPAD_FEE_SHARES,
  LAUNCHPAD_TOKEN_ADDRESS,
  RAISES_RULES,
} from '../transactions/contracts.ts'
import { describeRevert, type Revert } from '../transactions/describe-revert.ts'
import type { UnsignedTransaction } from '../transactions/unsigned-transaction.ts'
import type { Address, Hash, Hex } from '../values.ts'

/** The node's error response to a call of the RPC proxy. */
export class NodeError extends Error {
  readonly code: number
  readonly data: unknown

  constructor({ code, message, data }: { code: number; message: string; data?: unknown }) {
    super(message)
    this.name = 'NodeError'
    this.code = code
    this.data = data
  }
}

/** The contract reverts the transaction: before it is sent if there is no `txHash`, or when it was mined. */
export class RevertError extends Error {
  /** Undefined if the contract gave no reason. */
  readonly revert: Revert | undefined
  readonly txHash: Hash | undefined

  constructor(revert: Revert | undefined, { txHash, cause }: { txHash?: Hash; cause?: unknown } = {}) {
    super(revert?.message ?? 'The transaction reverted.', { cause })
    this.name = 'RevertError'
    this.revert = revert
    this.txHash = txHash
  }
}

export interface NodeOptions {
  signal?: AbortSignal
}

/** Calls the chain's node through the RPC proxy of the service. Throws NodeError. */
export async function requestNode<Result>(
  client: Client,
  method: string,
  params: unknown[],
  { signal }: NodeOptions = {},
): Promise<Result> {
  const body = { jsonrpc: '2.0' as const, id: 1, method, params }
  const answer = (await callNode(client, { body, ...(signal && { signal }) })) as
    | { result: Result }
    | { error: { code: number; message: string; data?: unknown } }
  if ('error' in answer) throw new NodeError(answer.error)
  return answer.result
}

const toParams = (from: string, { to, data, value }: UnsignedTransaction) => ({
  from,
  to,
  data,
  value: `0x${value.toString(16)}`,
})

/**
 * What a pair uses in addition in its first trade of a later second: it stores two price sums, each in a new slot of 22,100
 * gas. Nodes estimate at the time of the block before. Unused gas is not charged.
 */
const LATER_BLOCK_GAS = 50_000n

/**
 * What a buy that completes the curve needs beside its own gas to graduate the token as well: GRADUATION_GAS of the launchpad,
 * and what it keeps for its end. Nodes do not estimate it, because the buy succeeds without. Unused gas is not charged.
 */
export const GRADUATION_GAS = 3_400_000n

/**
 * Estimates the gas of a transaction, with a margin of a quarter and LATER_BLOCK_GAS: the state may change before it is mined.
 * Throws RevertError if a contract would revert it.
 */
export async function estimateGas(
  client: Client,
  from: string,
  transaction: UnsignedTransaction,
  options?: NodeOptions,
): Promise<bigint> {
  try {
    const gas = await requestNode<string>(client, 'eth_estimateGas', [toParams(from, transaction)], options)
    return (BigInt(gas) * 5n) / 4n + LATER_BLOCK_GAS
  } catch (error) {
    const revert = describeRevert(error)
    throw revert ? new RevertError(revert, { cause: error }) : error
  }
}

/** Tokens that the spender may take from the owner, in base units. */
export async function readAllowance(
  client: Client,
  { token, owner, spender }: { token: string; owner: string; spender: string },
  options?: NodeOptions,
): Promise<bigint> {
  const data = encodeCall(ERC20_ALLOWANCE, [owner, spender])
  return BigInt(await requestNode<string>(client, 'eth_call', [{ to: token, data }, 'latest'], options))
}

/** Terms of new launches: what `launch` agrees to. */
export async function readLaunchTerms(
  client: Client,
  launchpad: string,
  options?: NodeOptions,
): Promise<{ targetQuote: bigint; protocolFeeBps: number; creatorFeeBps: number }> {
  const data = encodeCall(LAUNCHPAD_DEFAULTS, [])
  const words = await requestNode<string>(client, 'eth_call', [{ to: launchpad, data }, 'latest'], options)
  const values = decodeValues(['uint128', 'uint16', 'uint16'], words.slice(2))
  if (!values) throw new Error(`${launchpad} is no launchpad`)
  const [targetQuote, protocolFeeBps, creatorFeeBps] = values as [bigint, bigint, bigint]
  return { targetQuote, protocolFeeBps: Number(protocolFeeBps), creatorFeeBps: Number(creatorFeeBps) }
}

/** The address of the token that `creator` launches with `salt`, before or after the launch. */
export async function readTokenAddress(
  client: Client,
  { launchpad, creator, salt }: { launchpad: string; creator: string; salt: Hex },
  options?: NodeOptions,
): Promise<Address> {
  const data = encodeCall(LAUNCHPAD_TOKEN_ADDRESS, [creator, salt])
  const word = await requestNode<string>(client, 'eth_call', [{ to: launchpad, data }, 'latest'], options)
  return `0x${word.slice(-40)}`
}

/** The launchpad of a token, which need not be the newest. */
export async function readLaunchpad(client: Client, token: string, options?: NodeOptions): Promise<Address> {
  const data = encodeCall(LAUNCH_TOKEN_LAUNCHPAD, [])
  const word = await requestNode<string>(client, 'eth_call', [{ to: token, data }, 'latest'], options)
  return `0x${word.slice(-40)}`
}

/** Who gets a token's creator fees. */
export interface FeeRight {
  launchpad: Address
  /** Splits the fees, and gives the right away: the creator at first. */
  owner: Address
  /** Basis points of each recipient, 10,000 together; empty if all goes to the owner. */
  shares: { recipient: Address; bps: number }[]
}

export async function readFeeRight(client: Client, token: string, options?: NodeOptions): Promise<FeeRight> {
  const launchpad = await readLaunchpad(client, token, options)
  const [owner, words] = await Promise.all(
    [LAUNCHPAD_FEE_OWNER, LAUNCHPAD_FEE_SHARES].map((called) =>
      requestNode<string>(
        client,
        'eth_call',
        [{ to: launchpad, data: encodeCall(called, [token]) }, 'latest'],
        options,
      ),
    ),
  )
  const data = (words ?? '').slice(2)
  const [recipients, bps] = [decodeArray('address', 0, data), decodeArray('uint16', 1, data)]
  if (!owner || !recipients || !bps) throw new Error(`${launchpad} is no launchpad`)
  const shares = recipients.map((recipient, index) => ({ recipient: recipient as Address, bps: Number(bps[index]) }))
  return { launchpad, owner: `0x${owner.slice(-40)}`, shares }
}

/** What the contract asks of each new raise, and grants its committers. Times are in seconds. */
export interface RaiseRules {
  minVotingDelay: number
  minVotingPeriod: number
  exitWindow: number
  releasePeriod: number
  /** Basis points of the commitments that can be released in a release period. */
  releaseBps: number
}

/** Reads the rules of a raises contract, which never change. */
export async function readRaiseRules(client: Client, raises: string, options?: NodeOptions): Promise<RaiseRules> {
  const data = encodeCall(RAISES_RULES, [])
  const words = await requestNode<string>(client, 'eth_call', [{ to: raises, data }, 'latest'], options)
  const values = decodeValues(Array(5).fill('uint32'), words.slice(2))
  if (!values) throw new Error(`${raises} is no contract of raises`)
  const [minVotingDelay = 0, minVotingPeriod = 0, exitWindow = 0, releasePeriod = 0, releaseBps = 0] =
    values.map(Number)
  return { minVotingDelay, minVotingPeriod, exitWindow, releasePeriod, releaseBps }
}

interface Receipt {
  transactionHash: Hash
  blockNumber: string
  status: string
}

/** Why a mined transaction reverted, as far as repeating it after its block tells. */
export async function findRevert(
  client: Client,
  from: Address,
  transaction: UnsignedTransaction,
  options?: NodeOptions,
): Promise<Revert | undefined> {
  try {
    await requestNode(client, 'eth_call', [toParams(from, transaction), 'latest'], options)
    return undefined
  } catch (error) {
    return describeRevert(error)
  }
}

/** The receipt of a transaction; null until it is mined. */
export const getReceipt = (client: Client, txHash: Hash, options?: NodeOptions): Promise<Receipt | null> =>
  requestNode(client, 'eth_getTransactionReceipt', [txHash], options)
