import { type Address, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { weth9Abi } from '../../chain/abi/weth9.ts'
import { callNode, callNodeAll, type RpcCall } from '../json-rpc.ts'
import type { MarketContracts } from './calls.ts'
import { type History, planHistory } from './plan-history.ts'
import type { PlannedToken } from './planned-token.ts'
import { mineBlock, readNonces, sendCalls } from './send.ts'

export interface HistoryOptions {
  url: string
  contracts: MarketContracts
  seed: string
  /** Unix seconds of the last block. The head of the chain must not be after endTime - HISTORY_SECONDS. */
  endTime: number
}

/**
 * Builds the demonstration market's history on a new chain, in blocks mined on demand. Leaves automining off.
 * @throws Error if the resulting reserves differ from the plan
 */
export async function buildHistory(
  { url, contracts, seed, endTime }: HistoryOptions,
  signal?: AbortSignal,
): Promise<History> {
  const accounts = await callNode<Address[]>(url, 'eth_accounts')
  const wallets = accounts.map((account) => account.toLowerCase() as Address)
  await callNode(url, 'evm_setAutomine', [false])
  const nonces = await readNonces(url, wallets)
  const history = planHistory({ seed, endTime, contracts, wallets })
  for (const { time, calls } of history.blocks) {
    await sendCalls(url, calls, nonces, signal)
    await mineBlock(url, time, signal)
  }
  await checkTokens(url, contracts, history.tokens)
  return history
}

/** The plan's amounts are computed locally: any deviation shows in the reserves. */
async function checkTokens(url: string, contracts: MarketContracts, tokens: readonly PlannedToken[]): Promise<void> {
  const call = (to: Address, data: Hex): RpcCall => ['eth_call', [{ to, data }, 'latest']]
  const encode = (functionName: 'curves' | 'pairFor', token: PlannedToken) =>
    call(contracts.launchpad, encodeFunctionData({ abi: launchpadAbi, functionName, args: [token.address] }))
  const curves = await callNodeAll<Hex>(
    url,
    tokens.map((token) => encode('curves', token)),
  )
  const balances = await callNodeAll<Hex>(
    url,
    curves.map((result) => {
      const { pool } = decodeFunctionResult({ abi: launchpadAbi, functionName: 'curves', data: result })
      return call(contracts.weth, encodeFunctionData({ abi: weth9Abi, functionName: 'balanceOf', args: [pool] }))
    }),
  )
  for (const [index, { exchange, listing }] of tokens.entries()) {
    const data = curves[index] as Hex
    const curve = decodeFunctionResult({ abi: launchpadAbi, functionName: 'curves', data })
    const isAsPlanned =
      exchange.kind === 'curve'
        ? curve.virtualToken === exchange.curve.virtualToken && curve.realQuote === exchange.curve.realQuote
        : BigInt(balances[index] as Hex) === exchange.quote
    if (!isAsPlanned) throw new Error(`The market's history went wrong: ${listing.name} is not where it was planned`)
  }
}
