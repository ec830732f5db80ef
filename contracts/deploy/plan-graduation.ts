import { type Address, formatEther, formatGwei } from 'viem'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import type { Clients } from './clients.ts'
import { OptionError } from './options.ts'

/** GRADUATION_GAS of the launchpad: more than a graduation uses, so that the bounty exceeds its price. */
const GRADUATION_GAS = 3_200_000n
/** The launchpad's smallest target is this many bounties: so much a curve earns at a fee of 1 %. */
const BOUNTIES_PER_TARGET = 100n

export interface Graduation {
  /** What graduating a token pays, in wei. */
  bounty: bigint
  /** The smallest target of a launch, in wei. */
  minTarget: bigint
}

interface GraduationOptions {
  /** Default: the price of the gas now. */
  bounty: bigint | undefined
  /** The target that new launches are to have. */
  target: bigint | undefined
  maxFeePerGas: bigint
  /** The launchpad, if it is created already. */
  launchpad: Address | undefined
}

/** The bounty and the smallest target that follows from it. Throws OptionError if the target is smaller. */
export async function planGraduation(
  client: Clients['publicClient'],
  { bounty: given, target, maxFeePerGas, launchpad }: GraduationOptions,
): Promise<Graduation> {
  const graduation = launchpad
    ? await readGraduation(client, launchpad)
    : toGraduation(given ?? GRADUATION_GAS * maxFeePerGas)
  const { bounty, minTarget } = graduation
  if (target !== undefined && target < minTarget)
    throw new OptionError(
      `--target ${formatEther(target)} is too small: a graduation costs ${formatEther(bounty)} at ${formatGwei(maxFeePerGas)} gwei, ` +
        `which trades on the curve pay for from a target of ${formatEther(minTarget)}. Raise it, or give a lower --graduation-bounty`,
    )
  return graduation
}

const toGraduation = (bounty: bigint): Graduation => ({ bounty, minTarget: bounty * BOUNTIES_PER_TARGET })

async function readGraduation(client: Clients['publicClient'], address: Address): Promise<Graduation> {
  const contract = { address, abi: launchpadAbi } as const
  const [bounty, minTarget] = await Promise.all([
    client.readContract({ ...contract, functionName: 'graduationBounty' }),
    client.readContract({ ...contract, functionName: 'MIN_TARGET' }),
  ])
  return { bounty, minTarget }
}
