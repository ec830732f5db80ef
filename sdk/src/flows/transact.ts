import type { Client } from '../client.ts'
import { type Last, type SyncOperation, type SyncOptions, syncSent, type Takes } from '../sync.ts'
import type { UnsignedTransaction } from '../transactions/unsigned-transaction.ts'
import type { AmountLike, Hash } from '../values.ts'
import type { Wallet } from '../wallet.ts'
import { approveIfNeeded, type ResumableOptions, type Session, sendAndWait, startSession } from './send.ts'

export interface TransactionOptions extends ResumableOptions {
  /** Tokens that the called contract takes: approved first, if its allowance does not suffice. */
  approval?: { token: string; amount: AmountLike }
}

export type TransactOptions<Taken extends Takes> = SyncOptions<Taken> & TransactionOptions

/**
 * Sends a transaction of a builder: approves what it needs, simulates it, has the wallet send it, waits until it is mined, and
 * syncs it with the operation. Resolves to the records, or without an operation to the hash. Throws RevertError if a contract
 * reverts it, and what `sync` throws.
 */
export async function transact(
  client: Client,
  wallet: Wallet,
  transaction: UnsignedTransaction,
  operation?: undefined,
  options?: TransactionOptions,
): Promise<{ txHash: Hash }>
export async function transact<Taken extends Takes, Answer>(
  client: Client,
  wallet: Wallet,
  transaction: UnsignedTransaction,
  operation: SyncOperation<Taken, Answer>,
  ...[options]: Last<TransactOptions<Taken>>
): Promise<Answer>
export async function transact<Taken extends Takes, Answer>(
  client: Client,
  wallet: Wallet,
  transaction: UnsignedTransaction,
  operation?: SyncOperation<Taken, Answer>,
  options?: Partial<TransactOptions<Taken>>,
): Promise<Answer | { txHash: Hash }> {
  const { approval, publicClient, onStep, timeoutMs, signal, sent, ...rest } = (options ?? {}) as TransactionOptions
  const flow = {
    ...(publicClient && { publicClient }),
    ...(onStep && { onStep }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(signal && { signal }),
    ...(sent !== undefined && { sent }),
  }
  const session = await startSession(client, wallet, flow)
  if (approval && sent === undefined) {
    const { token, amount } = approval
    await approveIfNeeded(session, { token: token as Hash, spender: transaction.to, amount })
  }
  const txHash = await sendAndWait(session, transaction)
  if (!operation) return { txHash }
  return syncMined(session, operation, txHash, rest as Partial<SyncOptions<Taken>>)
}

/** Syncs a transaction that the client has seen mined. Throws what `sync` throws. */
export async function syncMined<Taken extends Takes, Answer>(
  { client, options }: Session,
  operation: SyncOperation<Taken, Answer>,
  txHash: Hash,
  given: Partial<SyncOptions<Taken>> = {},
): Promise<Answer> {
  const { timeoutMs, signal, onStep } = options
  onStep?.({ name: 'sync', txHash })
  const all = { ...(timeoutMs !== undefined && { timeoutMs }), ...(signal && { signal }), ...given }
  return syncSent(client, operation, txHash, all as Partial<SyncOptions<Taken>>)
}
