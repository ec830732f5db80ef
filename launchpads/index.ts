import { clankerV4 } from './clanker/clanker-v4.ts'
import { clankerV31 } from './clanker/clanker-v31.ts'
import { flap } from './flap/flap.ts'
import { fourMeme } from './four-meme/four-meme.ts'
import { type LaunchpadDeployment, type LaunchpadKind, launchpadKinds } from './kinds.ts'
import type { Launchpad, LaunchpadContract } from './launchpad.ts'
import { nadFun } from './nad-fun/nad-fun.ts'
import { slipway } from './slipway/slipway.ts'

const byKind: Readonly<Record<LaunchpadKind, Launchpad>> = {
  slipway,
  'nad-fun': nadFun,
  'clanker-v31': clankerV31,
  'four-meme': fourMeme,
  flap,
  'clanker-v4': clankerV4,
}

/** Every launchpad that can be followed. */
export const launchpads = Object.values(byKind)

export const getLaunchpad = (kind: LaunchpadKind): Launchpad => byKind[kind]

/** The launchpad of the contracts that have a kind in DEPLOYMENTS. */
export const findByDeployment = (deployment: string): Launchpad | undefined =>
  launchpads.find(({ kind }) => launchpadKinds[kind].deployment === deployment)

/** The launchpads among `deployments` that need a contract of another kind, which is not among them: see Launchpad.needs. */
export const findUnmetNeeds = (deployments: readonly { kind: string }[]): { launchpad: Launchpad; needs: string }[] => {
  const names = (wanted: string) => deployments.some(({ kind }) => kind === wanted)
  return launchpads.flatMap((launchpad) => {
    const { kind, needs } = launchpad
    const isUnmet = needs !== undefined && names(launchpadKinds[kind].deployment) && !names(needs)
    return isUnmet ? [{ launchpad, needs }] : []
  })
}

/** How their contracts are recognized, by kind in DEPLOYMENTS. */
export const launchpadContracts = Object.fromEntries(
  launchpads.map(({ kind, contract }) => [launchpadKinds[kind].deployment, contract]),
) as Record<LaunchpadDeployment, LaunchpadContract>

/** The call that returns the wrapped native coin, which some launchpads name; null if none of `deployments` does. */
export function findWrappedNativeCall<Address>(deployments: readonly { kind: string; address: Address }[]) {
  for (const { kind, address } of deployments) {
    const contract = findByDeployment(kind)?.contract
    const functionName = contract?.uses['wrapped-native']
    if (contract && functionName !== undefined) return { address, abi: contract.abi, functionName }
  }
  return null
}
