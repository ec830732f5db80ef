import type { Client } from './client.ts'
import { AlreadyIndexedError, SlipwayError } from './errors.ts'

/** An operation that indexes a transaction by its hash, as syncBuy. */
type SyncOperation<Taken, Answer> = (client: Client, options: Taken) => Promise<Answer>
interface Takes {
  body: { txHash: string }
  signal?: AbortSignal
}

interface Patience {
  /** How long to go on asking while the transaction is not mined; 120,000 unless given. */
  timeoutMs?: number
  /**
   * How long a hash that the service's node does not know may still be on its way there. 0 unless given; sendAndSync, whose
   * hash is known to be real, gives it 15,000.
   */
  unknownMs?: number
}

/** What else the operation takes, without the hash. */
type Rest<Taken extends Takes> = Omit<Taken, 'body'> &
  (Record<never, never> extends Omit<Taken['body'], 'txHash'>
    ? { body?: Omit<Taken['body'], 'txHash'> }
    : { body: Omit<Taken['body'], 'txHash'> })

export type SyncOptions<Taken extends Takes> = Patience & Rest<Taken>
type Last<Options> = Record<never, never> extends Options ? [options?: Options] : [options: Options]

/** Seconds between two tries where the service does not say. */
const PAUSE_S = 1

/**
 * Has the service index a transaction of this wallet, and resolves to its records. While the transaction is not mined (425) it
 * asks again, as late as Retry-After says. Throws AlreadyIndexedError if that was done before, and SlipwayError for the rest:
 * the last 425 when time is up, 403 for another wallet's, 404, 422 for one that reverted or holds no such event.
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
      if (!(error instanceof SlipwayError)) throw error
      if (error.status === 409) throw new AlreadyIndexedError(txHash, error)
      const patience = error.status === 425 ? timeoutMs : error.status === 404 ? Math.min(unknownMs, timeoutMs) : 0
      const pauseMs = (error.retryAfter ?? PAUSE_S) * 1_000
      if (Date.now() - start + pauseMs > patience) throw error
      await pause(pauseMs, rest.signal)
    }
  }
}

/** Who can wait for a receipt: a public client of viem, or any object of that shape. */
export interface Waiter {
  waitForTransactionReceipt(parameters: { hash: `0x${string}` }): Promise<{ transactionHash: string }>
}

export type SendOptions<Taken extends Takes> = SyncOptions<Taken> & {
  /** Waits for the receipt before the service is asked; follows a transaction that the wallet has sped up. */
  publicClient?: Waiter
}

/**
 * Sends a transaction, waits for it and syncs it: `sendAndSync(client, syncBuy, () => wallet.writeContract(…), { publicClient })`.
 * Without a public client the service does the waiting.
 */
export async function sendAndSync<Taken extends Takes, Answer>(
  client: Client,
  operation: SyncOperation<Taken, Answer>,
  send: () => Promise<string>,
  ...[options]: Last<SendOptions<Taken>>
): Promise<Answer> {
  const { publicClient, ...rest } = (options ?? {}) as { publicClient?: Waiter }
  const sent = await send()
  const receipt = await publicClient?.waitForTransactionReceipt({ hash: sent as `0x${string}` })
  const given = { unknownMs: 15_000, ...rest } as unknown as SyncOptions<Taken>
  return sync(client, operation, receipt?.transactionHash ?? sent, ...([given] as Last<SyncOptions<Taken>>))
}

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted()
    const end = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', end)
      resolve()
    }, ms)
    signal?.addEventListener('abort', end, { once: true })
  })
}
