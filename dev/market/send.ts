import { type Address, type Hex, numberToHex } from 'viem'
import { callNode, callNodeAll, type RpcCall } from '../json-rpc.ts'
import type { Call } from './calls.ts'

const MAX_FEE = 20_000_000_000
const AUTOMINE_TIMEOUT_MS = 1_000

/** Next nonce of each wallet, pending transactions included. */
export async function readNonces(
  url: string,
  wallets: readonly Address[],
  signal?: AbortSignal,
): Promise<Map<Address, number>> {
  const calls = wallets.map((wallet): RpcCall => ['eth_getTransactionCount', [wallet, 'pending']])
  const counts = await callNodeAll<Hex>(url, calls, signal)
  return new Map(wallets.map((wallet, index) => [wallet, Number(counts[index])]))
}

/**
 * Sends the calls from the node's unlocked accounts; the next block includes them in this order. Increments `nonces`.
 * @returns the transaction hashes
 */
export async function sendCalls(
  url: string,
  calls: readonly Call[],
  nonces: Map<Address, number>,
  signal?: AbortSignal,
): Promise<Hex[]> {
  const requests = calls.map(({ from, to, data, gas, value }, index): RpcCall => {
    const nonce = nonces.get(from) ?? 0
    nonces.set(from, nonce + 1)
    return [
      'eth_sendTransaction',
      [
        {
          from,
          to,
          data,
          gas: numberToHex(gas),
          nonce: numberToHex(nonce),
          // The node may process a batch in any order, but sorts a block by fee: falling fees keep the order.
          maxFeePerGas: numberToHex(MAX_FEE - index),
          maxPriorityFeePerGas: numberToHex(1),
          ...(value && { value: numberToHex(value) }),
        },
      ],
    ]
  })
  return callNodeAll<Hex>(url, requests, signal)
}

/** Mines a block with all pending transactions, at `time` (unix seconds) if given. */
export async function mineBlock(url: string, time?: number, signal?: AbortSignal): Promise<void> {
  await callNode(url, 'evm_mine', time === undefined ? [] : [time], signal)
}

/**
 * Sends the calls in one block on an automining node, whose cost grows with the number of blocks. A transaction that a
 * user sends meanwhile is mined in that block or right after it.
 */
export async function sendPacked(url: string, calls: readonly Call[], signal?: AbortSignal): Promise<void> {
  if (calls.length === 0) return
  const nonces = await readNonces(url, [...new Set(calls.map(({ from }) => from))], signal)
  await callNode(url, 'evm_setAutomine', [false], signal)
  try {
    await sendCalls(url, calls, nonces, signal)
    await mineBlock(url, undefined, signal)
  } finally {
    // Restore automining even after a failure: users depend on it.
    await callNode(url, 'evm_setAutomine', [true], AbortSignal.timeout(AUTOMINE_TIMEOUT_MS))
  }
  await mineWaiting(url, signal)
}

/** Mines blocks until no transaction is pending. */
export async function mineWaiting(url: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const { pending } = await callNode<{ pending: Hex }>(url, 'txpool_status', [], signal)
    if (Number(pending) === 0) return
    await mineBlock(url, undefined, signal)
  }
}
