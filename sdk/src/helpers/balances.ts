import type { Client } from '../client.ts'
import { NodeError, type NodeOptions, requestNode } from '../flows/call-node.ts'
import { callNode } from '../operations.ts'
import { encodeCall } from '../transactions/abi-codec.ts'
import { ERC20_BALANCE_OF } from '../transactions/contracts.ts'
import type { Address } from '../values.ts'

export interface Balances {
  /** Native coin, in base units. */
  native: bigint
  /** Base units of each token, by its address in lower case. */
  tokens: Record<Address, bigint>
}

/** Calls of one request to the RPC proxy. */
const BATCH = 50

/**
 * Reads from the chain how much a wallet has of the native coin and of each token, in one request for up to 49 tokens. Throws
 * NodeError if an address is no token.
 */
export async function readBalances(
  client: Client,
  wallet: string,
  tokens: readonly string[] = [],
  options: NodeOptions = {},
): Promise<Balances> {
  const data = encodeCall(ERC20_BALANCE_OF, [wallet])
  const calls = [
    { method: 'eth_getBalance', params: [wallet, 'latest'] },
    ...tokens.map((to) => ({ method: 'eth_call', params: [{ to, data }, 'latest'] })),
  ].map((call, id) => ({ jsonrpc: '2.0' as const, id, ...call }))
  const results = new Map<unknown, string>()
  for (let start = 0; start < calls.length; start += BATCH) {
    // A batch that the proxy rejects has one response.
    const answers = (await callNode(client, { ...options, body: calls.slice(start, start + BATCH) })) as
      | Answer
      | Answer[]
    for (const answer of [answers].flat()) {
      if ('error' in answer) throw new NodeError(answer.error)
      results.set(answer.id, answer.result)
    }
  }
  const readAmount = (id: number) => readWord(results.get(id), tokens[id - 1])
  const amounts = tokens.map((token, index): [string, bigint] => [token.toLowerCase(), readAmount(index + 1)])
  return { native: readAmount(0), tokens: Object.fromEntries(amounts) }
}

type Answer = { id: number } & ({ result: string } | { error: { code: number; message: string; data?: unknown } })

/** A call to an address without a contract succeeds with no data. */
function readWord(result: string | undefined, token: string | undefined): bigint {
  if (result === undefined || result === '0x')
    throw new NodeError({ code: 0, message: `The node returned no balance of ${token ?? 'the native coin'}` })
  return BigInt(result)
}

/** Price of a unit of gas, in base units of the native coin. */
export const readGasPrice = async (client: Client, options?: NodeOptions): Promise<bigint> =>
  BigInt(await requestNode<string>(client, 'eth_gasPrice', [], options))
