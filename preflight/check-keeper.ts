import { formatEther } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { findKeyProblem } from '../chain/demo-accounts.ts'
import { addGasMargin, readFees } from '../chain/gas-price.ts'
import type { Config } from '../config/config.ts'
import { findByDeployment } from '../launchpads/index.ts'
import { connect } from './check-node.ts'
import { type Finding, fail, pass, reasonOf, warn } from './finding.ts'

type Settings = Pick<Config, 'keeperKey' | 'rpcUrls' | 'chainId' | 'deployments'>

/** Checks that the key is private, and that its account can pay for a graduation. */
export async function checkKeeper({ keeperKey, rpcUrls, chainId, deployments }: Settings): Promise<Finding[]> {
  if (keeperKey === null) return []
  const { address } = privateKeyToAccount(keeperKey)
  const known = findKeyProblem(address, chainId)
  if (known !== null) return [fail('KEEPER_KEY', known.problem, known.remedy)]
  const [url] = rpcUrls
  const launchpads = deployments.flatMap(({ kind, address }) => {
    const graduation = findByDeployment(kind)?.graduation
    return graduation ? [{ address, ...graduation.gas }] : []
  })
  if (url === undefined || launchpads.length === 0) return []
  const client = connect(url)
  // An unreachable node, or one of another chain, has its own finding.
  if ((await client.getChainId().catch(() => null)) !== chainId) return []
  try {
    const [balance, { maxFeePerGas }, ...gas] = await Promise.all([
      client.getBalance({ address }),
      readFees(client),
      ...launchpads.map((call) => client.readContract(call) as Promise<bigint>),
    ])
    const [most] = gas.toSorted((a, b) => Number(b - a))
    const cost = addGasMargin(most!) * maxFeePerGas
    const holds = `its account ${address} has ${formatEther(balance)} coins`
    if (balance >= cost) return [pass('KEEPER_KEY', `${holds}; a graduation costs up to ${formatEther(cost)}`)]
    const remedy = 'Send it coins for several graduations; each pays it the bounty of its launchpad'
    return [warn('KEEPER_KEY', `${holds}, and a graduation costs up to ${formatEther(cost)}`, remedy)]
  } catch (error) {
    return [warn('KEEPER_KEY', `not checked: ${reasonOf(error)}`, 'Run this again when the node of RPC_URL responds')]
  }
}
