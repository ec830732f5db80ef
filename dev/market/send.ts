import { type Address, type Hex, numberToHex } from 'viem'
import { callNode, callNodeAll, type RpcCall } from '../json-rpc.ts'
import type { Call } from './calls.ts'

const MAX_FEE = 20_000_000_000
const AUTOMINE_TIMEOUT_MS = 1_000

/** Transactions sent by each of these wallets, those that wait included. */
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
 * Hands the calls to the node, whose accounts sign them; the block that is mined next has them in this order. Counts the
 * nonces up. @returns their hashes
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
          // Blocks are filled by fee: falling fees keep the order, although the node takes a batch in any.
          maxFeePerGas: numberToHex(MAX_FEE - index),
          maxPriorityFeePerGas: numberToHex(1),
          ...(value && { value: numberToHex(value) }),
        },
      ],
    ]
  })
  return callNodeAll<Hex>(url, requests, signal)
}

/** Mines a block with all that waits, at `time` (unix seconds) if given. */
export async function mineBlock(url: string, time?: number, signal?: AbortSignal): Promise<void> {
  await callNode(url, 'evm_mine', time === undefined ? [] : [time], signal)
}

/**
 * Sends the calls in one block of their own on a node that mines each transaction at once, because blocks are what makes it
 * slow. Somebody else's transaction that arrives meanwhile is in that block or in one right after it.
 */
export async function sendPacked(url: string, calls: readonly Call[], signal?: AbortSignal): Promise<void> {
  if (calls.length === 0) return
  const nonces = await readNonces(url, [...new Set(calls.map(({ from }) => from))], signal)
  await callNode(url, 'evm_setAutomine', [false], signal)
  try {
    await sendCalls(url, calls, nonces, signal)
    await mineBlock(url, undefined, signal)
  } finally {
    // Whatever happened, others want their transactions mined.
    await callNode(url, 'evm_setAutomine', [true], AbortSignal.timeout(AUTOMINE_TIMEOUT_MS))
  }
  await mineWaiting(url, signal)
}

/** Mines blocks until no transaction waits. */
export async function mineWaiting(url: string, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const { pending } = await callNode<{ pending: Hex }>(url, 'txpool_status', [], signal)
    if (Number(pending) === 0) return
    await mineBlock(url, undefined, signal)
  }
}
