import type { Client } from './client.ts'
import { AlreadyIndexedError, isTransient, NotSyncedError, SlipwayError } from './errors.ts'
import { pause } from './pause.ts'
import type { Hash } from './values.ts'

/** An operation that indexes a transaction by its hash, such as syncBuy. */
export type SyncOperation<Taken, Answer> = (client: Client, options: Taken) => Promise<Answer>
export interface Takes {
  body: { txHash: string }
  signal?: AbortSignal
}

interface Patience {
  /** How long to retry while the transaction is not mined, or the service is busy or fails; 120,000 by default. */
  timeoutMs?: number
  /**
   * How long to retry while the service's node does not know the hash; 0 by default. sendAndSync, whose hash is certainly
   * valid, sets 15,000.
   */
  unknownMs?: number
}

/** The operation's other options. */
type Rest<Taken extends Takes> = Omit<Taken, 'body'> &
  (Record<never, never> extends Omit<Taken['body'], 'txHash'>
    ? { body?: Omit<Taken['body'], 'txHash'> }
    : { body: Omit<Taken['body'], 'txHash'> })

export type SyncOptions<Taken extends Takes> = Patience & Rest<Taken>
export type Last<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options]

/** Seconds between retries without Retry-After. */
const PAUSE_S = 1

/**
 * Makes the service index a transaction of this wallet, and resolves to its records. Retries after Retry-After while the
 * transaction is not mined (425), and while the service is busy, failing or unreachable; throws NotSyncedError on time-out. Throws
 * AlreadyIndexedError if it was indexed before, else SlipwayError: 403 for another wallet's transaction, 404 if unknown, 422 if it
 * reverted or has no such event.
 */
export async function sync<Taken extends Takes, Answer>(
  client: Client,
  operation: SyncOperation<Taken, Answer>,
  txHash: string,
  ...[options]: Last<SyncOptions<Taken>>
): Promise<Answer> {
  const { timeoutMs = 120_000, unknownMs = 0, body, ...rest } = (options ?? {}) as Patience & Partial<Takes>
  const start = Date.now()
  for (;;) {
    try {
      return await operation(client, { ...rest, body: { ...body, txHash } } as unknown as Taken)
    } catch (error) {
      const { status = 0, retryAfter = PAUSE_S } = error instanceof SlipwayError ? error : {}
      if (error instanceof SlipwayError && status === 409) throw new AlreadyIndexedError(txHash, error)
      const isPending = status === 425 || isTransient(error)
      const patience = isPending ? timeoutMs : status === 404 ? Math.min(unknownMs, timeoutMs) : 0
      const pauseMs = retryAfter * 1_000
      if (Date.now() - start + pauseMs > patience) {
        if (isPending) throw new NotSyncedError(txHash, error)
        throw error instanceof SlipwayError ? Object.assign(error, { txHash }) : error
      }
      await pause(pauseMs, rest.signal)
    }
  }
}

/** Syncs a transaction that the client has sent. The end of the session meanwhile must not look like the transaction's failure. */
export async function syncSent<Taken extends Takes, Answer>(
  client: Client,
  operation: SyncOperation<Taken, Answer>,
  txHash: string,
  given: Partial<SyncOptions<Taken>>,
): Promise<Answer> {
  // The service's node may be a little behind the one that took the transaction.
  const options = { unknownMs: 15_000, ...given } as unknown as SyncOptions<Taken>
  try {
    return await sync(client, operation, txHash, ...([options] as Last<SyncOptions<Taken>>))
  } catch (error) {
    throw error instanceof SlipwayError && error.status === 401 ? new NotSyncedError(txHash, error) : error
  }
}

/** A transaction of the same wallet with the same nonce was mined instead: `repriced` if it differs in its gas alone. */
export interface Replacement {
  reason: 'cancelled' | 'replaced' | 'repriced'
}

/** Waits for a receipt: a viem public client, or any object of the same shape. */
export interface Waiter {
  waitForTransactionReceipt(parameters: {
    hash: Hash
    timeout?: number
    onReplaced?: (replacement: Replacement) => void
  }): Promise<{ transactionHash: string; status?: string }>
}

export type SendOptions<Taken extends Takes> = SyncOptions<Taken> & {
  /** Waits for the receipt before syncing, and follows a replacement transaction. */
  publicClient?: Waiter
}

/**
 * Sends a transaction, waits for it and syncs it; without a public client, the service waits for the receipt:
 * `sendAndSync(client, syncBuy, () => wallet.writeContract(…), { publicClient })`.
 */
export async function sendAndSync<Taken extends Takes, Answer>(
  client: Client,
  operation: SyncOperation<Taken, Answer>,
  send: () => Promise<string>,
  ...[options]: Last<SendOptions<Taken>>
): Promise<Answer> {
  const { publicClient, ...rest } = (options ?? {}) as { publicClient?: Waiter }
  const sent = await send()
  const receipt = await publicClient?.waitForTransactionReceipt({ hash: sent as Hash })
  return syncSent(client, operation, receipt?.transactionHash ?? sent, rest as Partial<SyncOptions<Taken>>)
}
