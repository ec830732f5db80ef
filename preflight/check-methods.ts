import { zeroAddress, zeroHash } from 'viem'
import { Chain } from '../chain/rpc/client.ts'
import { describeFailure } from '../chain/rpc/node-failure.ts'
import { type Finding, fail, pass, warn } from './finding.ts'

interface Use {
  params: (head: string) => unknown[]
  /** Null cannot be the answer. */
  isThere?: true
  /** What does not work without it. */
  without: string
  /** Whether the rest of the service works. */
  isOptional?: true
}

const INDEXING = 'nothing can be indexed without it'
const SYNCS = 'trades and launches cannot be confirmed without it'

/** What the service sends to a node. eth_chainId and eth_getLogs have checks of their own. */
const uses: Readonly<Record<string, Use>> = {
  eth_blockNumber: { params: () => [], isThere: true, without: INDEXING },
  eth_getBlockByNumber: { params: () => ['0x0', false], isThere: true, without: INDEXING },
  eth_getBlockByHash: { params: (head) => [head, false], isThere: true, without: INDEXING },
  eth_call: {
    params: () => [{ to: zeroAddress, data: '0x' }, 'latest'],
    isThere: true,
    without: 'contracts, prices and the signatures of smart accounts cannot be read without it',
  },
  eth_getTransactionReceipt: { params: () => [zeroHash], without: SYNCS },
  eth_getTransactionByHash: { params: () => [zeroHash], without: SYNCS },
  eth_getCode: {
    params: () => [zeroAddress, 'latest'],
    isThere: true,
    without: 'contracts cannot be checked, and smart accounts cannot sign in without it',
  },
  eth_getBlockReceipts: {
    params: (head) => [head],
    isThere: true,
    without: 'everything works without it, but logs near the head need two equal answers, and a backfill is not proven',
    isOptional: true,
  },
}

/** Sends each method as the service does. A node, or a proxy before it, may refuse one, or answer it wrongly. */
export async function checkMethods(node: string, url: string, timeoutMs: number): Promise<Finding[]> {
  const { client } = new Chain([url], { timeoutMs, retries: 1 })
  const ask = (method: string, params: unknown[]) => client.request({ method, params } as never) as Promise<unknown>
  const head = (await ask('eth_getBlockByNumber', ['latest', false]).catch(() => null)) as { hash: string } | null
  const problems = await Promise.all(
    Object.entries(uses).map(async ([method, { params, isThere, without, isOptional }]) => {
      const problem = await ask(method, params(head?.hash ?? zeroHash)).then(
        (answer) => (isThere && answer === null ? 'null' : undefined),
        describeFailure,
      )
      if (problem === undefined) return []
      const message = `${node} does not answer ${method} (${problem}): ${without}`
      return isOptional
        ? warn('RPC_URL', message, 'Name another node in RPC_URL, or ask the provider for the method')
        : fail('RPC_URL', message, 'Use another node, or ask the provider for the method')
    }),
  )
  const found = problems.flat()
  return found.length > 0 ? found : [pass('RPC_URL', `${node} answers every method that the service needs`)]
}
