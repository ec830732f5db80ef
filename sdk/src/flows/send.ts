import type { Client } from '../client.ts'
import { isTransient, NotMinedError, SlipwayError } from '../errors.ts'
import { getConfig } from '../operations.ts'
import { pause } from '../pause.ts'
import { ensureSignedIn } from '../sign-in.ts'
import type { Replacement, Waiter } from '../sync.ts'
import { buildApproval } from '../transactions/build-token.ts'
import type { UnsignedTransaction } from '../transactions/unsigned-transaction.ts'
import type { Schema } from '../types.ts'
import { type Address, type AmountLike, type Hash, toBigInt } from '../values.ts'
import { getAddress, sendTransaction, switchChain, type Wallet } from '../wallet.ts'
import { estimateGas, findRevert, getReceipt, NodeError, RevertError, readAllowance } from './call-node.ts'

/** What a flow is about to do. */
export type Step =
  | { name: 'upload' }
  | { name: 'quote' }
  /** The wallet is asked to approve the spending of tokens. */
  | { name: 'approve'; token: Address; spender: Address; amount: bigint }
  /** The wallet is asked to sign the transaction. */
  | { name: 'sign'; transaction: UnsignedTransaction }
  /** The transaction was sent. */
  | { name: 'wait'; txHash: Hash }
  /** The transaction was mined. */
  | { name: 'sync'; txHash: Hash }

export interface FlowOptions {
  /** Waits for receipts, and follows replacements of a transaction. By default the RPC proxy of the service is polled. */
  publicClient?: Waiter
  /** How long to wait for each transaction to be mined; 120,000 by default. */
  timeoutMs?: number
  /** Stops the flow. A transaction that was sent is not taken back. */
  signal?: AbortSignal
  /** Called before each step. */
  onStep?: (step: Step) => void
}

/** Options of a flow that can go on with a transaction it has sent before. */
export interface ResumableOptions extends FlowOptions {
  /**
   * Hash of a transaction that the flow has sent before, whose outcome is unknown: that of a NotMinedError or a NotSyncedError. The
   * flow waits for it and syncs it, and sends nothing.
   */
  sent?: string
}

/** A wallet that is signed in and on the service's chain. */
export interface Session {
  client: Client
  wallet: Wallet
  address: Address
  config: Schema<'Config'>
  options: ResumableOptions
}

export const DEFAULT_WAIT_MS = 120_000
const FIRST_POLL_MS = 100
const MAX_POLL_MS = 1_000

const configs = new WeakMap<Client, Promise<Schema<'Config'>>>()

/** The service's configuration, requested once per client. */
function readConfig(client: Client): Promise<Schema<'Config'>> {
  let config = configs.get(client)
  if (!config) {
    config = getConfig(client)
    configs.set(client, config)
    config.catch(() => configs.delete(client))
  }
  return config
}

export async function startSession(client: Client, wallet: Wallet, options: ResumableOptions): Promise<Session> {
  const [config, address] = await Promise.all([readConfig(client), getAddress(wallet)])
  await switchChain(wallet, config, `${client.baseUrl}/rpc`)
  await ensureSignedIn(client, wallet)
  return { client, wallet, address, config, options }
}

/**
 * Simulates a transaction, has the wallet send it with `extraGas` above the estimate, and waits until it is mined. Throws
 * RevertError if it reverts, and NotMinedError if that is unknown after `timeoutMs`. It only waits for one that was sent before.
 */
export async function sendAndWait(
  session: Session,
  transaction: UnsignedTransaction,
  { step = { name: 'sign', transaction }, extraGas = 0n }: { step?: Step; extraGas?: bigint } = {},
): Promise<Hash> {
  const { client, wallet, address, options } = session
  const { signal, onStep } = options
  const isApproval = step.name === 'approve'
  const send = async () => {
    const gas = extraGas + (await estimateGas(client, address, transaction, signal && { signal }))
    signal?.throwIfAborted()
    onStep?.(step)
    return sendTransaction(wallet, transaction, { gas })
  }
  const sent = (options.sent as Hash | undefined) ?? (await send())
  onStep?.({ name: 'wait', txHash: sent })
  const { txHash, isReverted } = await waitForReceipt(client, sent, options).catch((error: unknown) => {
    if (error instanceof SlipwayError) throw new NotMinedError(sent, error, { isApproval })
    throw isApproval && error instanceof NotMinedError ? new NotMinedError(sent, error.cause, { isApproval }) : error
  })
  if (!isReverted) return txHash
  throw new RevertError(await findRevert(client, address, transaction, signal && { signal }), { txHash })
}

/** Approves the spending of tokens, unless the allowance suffices. Resolves to whether it sent a transaction. */
export async function approveIfNeeded(
  session: Session,
  { token, spender, amount }: { token: Address; spender: Address; amount: AmountLike },
): Promise<boolean> {
  const { client, address, options } = session
  const needed = toBigInt(amount)
  const allowance = await readAllowance(
    client,
    { token, owner: address, spender },
    options.signal && { signal: options.signal },
  )
  if (allowance >= needed) return false
  const approval = { token, spender, amount: needed }
  await sendAndWait(session, buildApproval(approval), { step: { name: 'approve', ...approval } })
  return true
}

/**
 * Waits until a transaction is mined. Throws NotMinedError if that is unknown after `timeoutMs`, SlipwayError if the service
 * rejects the question, and the reason of `signal`.
 */
export async function waitForReceipt(
  client: Client,
  hash: Hash,
  { publicClient, timeoutMs = DEFAULT_WAIT_MS, signal }: FlowOptions = {},
): Promise<{ txHash: Hash; isReverted: boolean }> {
  if (publicClient) return waitWith(publicClient, hash, timeoutMs, signal)
  const deadline = Date.now() + timeoutMs
  let cause: unknown
  for (let pauseMs = FIRST_POLL_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_POLL_MS)) {
    const receipt = await getReceipt(client, hash, signal && { signal }).catch((error: unknown) => {
      // A short failure of the service or its node must not lose a transaction that was sent.
      if (!(error instanceof NodeError) && !isTransient(error)) throw error
      cause = error
      return null
    })
    if (receipt) return { txHash: receipt.transactionHash, isReverted: BigInt(receipt.status) === 0n }
    if (Date.now() + pauseMs > deadline) throw new NotMinedError(hash, cause)
    await pause(pauseMs, signal)
  }
}

/** Waits with a client that follows replacements, and asks it again if it fails. Another transaction in its place is an error. */
async function waitWith(
  publicClient: Waiter,
  hash: Hash,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<{ txHash: Hash; isReverted: boolean }> {
  const deadline = Date.now() + timeoutMs
  let isOther = false
  const onReplaced = ({ reason }: Replacement) => {
    isOther = reason !== 'repriced'
  }
  for (let timeout = timeoutMs; ; timeout = deadline - Date.now()) {
    const ended = new AbortController()
    const end = pause(timeout, signal ? AbortSignal.any([signal, ended.signal]) : ended.signal)
    try {
      const receipt = await Promise.race([publicClient.waitForTransactionReceipt({ hash, timeout, onReplaced }), end])
      if (!receipt) throw new NotMinedError(hash)
      if (isOther) break
      return { txHash: receipt.transactionHash as Hash, isReverted: receipt.status === 'reverted' }
    } catch (error) {
      signal?.throwIfAborted()
      if (Date.now() + MAX_POLL_MS > deadline)
        throw error instanceof NotMinedError ? error : new NotMinedError(hash, error)
    } finally {
      ended.abort()
    }
    await pause(MAX_POLL_MS, signal)
  }
  throw new Error('The transaction was cancelled in the wallet, or another one took its place.')
}
