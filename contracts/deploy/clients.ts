import { setTimeout as delay } from 'node:timers/promises'
import {
  type Account,
  type Chain,
  type Hex,
  type PublicClient,
  type TransactionReceipt,
  TransactionReceiptNotFoundError,
  type Transport,
  type WalletClient,
} from 'viem'

export interface Clients {
  publicClient: PublicClient<Transport, Chain | undefined>
  /** Its account (local or unlocked) deploys and owns the contracts. */
  walletClient: WalletClient<Transport, Chain | undefined, Account>
}

const POLL_MS = 1_000

/**
 * Polls for the receipt. viem polls once per block: it waits forever if a chain that mines on demand exposes a block
 * before its receipts.
 * @throws Error after `timeoutMs`
 */
export async function waitForReceipt(
  publicClient: Clients['publicClient'],
  hash: Hex,
  timeoutMs = 60_000,
): Promise<TransactionReceipt> {
  const deadline = performance.now() + timeoutMs
  let pause = 5
  while (performance.now() < deadline) {
    const receipt = await publicClient.getTransactionReceipt({ hash }).catch((error: unknown) => {
      if (error instanceof TransactionReceiptNotFoundError) return undefined
      throw error
    })
    if (receipt) return receipt
    await delay(pause)
    // Local chains answer at once; a public node is not asked more than once a second.
    if (performance.now() > deadline - timeoutMs + 2_000) pause = POLL_MS
  }
  throw new Error(`Transaction ${hash} was not mined within ${Math.round(timeoutMs / 1_000)} s`)
}

/**
 * Waits until no transaction of the account is pending: until then, the chain's state is not what the account has made
 * of it.
 */
export async function waitUntilSettled({ publicClient, walletClient }: Clients, timeoutMs: number): Promise<void> {
  const { address } = walletClient.account
  const deadline = performance.now() + timeoutMs
  for (;;) {
    const [mined, sent] = await Promise.all([
      publicClient.getTransactionCount({ address, blockTag: 'latest' }),
      publicClient.getTransactionCount({ address, blockTag: 'pending' }),
    ])
    if (sent <= mined) return
    if (performance.now() > deadline)
      throw new Error(
        `${sent - mined} transactions of ${address} are pending since more than ${Math.round(timeoutMs / 1_000)} s. ` +
          'Wait until they are mined, or replace them with your wallet, then run this again.',
      )
    await delay(POLL_MS)
  }
}
