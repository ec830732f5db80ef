import { type Address, encodeDeployData, encodeFunctionData, type Hex, zeroAddress } from 'viem'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import stakingArtifact from '../../contracts/artifacts/FeeStaking.json' with { type: 'json' }
import type { Action, Node, TestChain } from './chain-fixture.ts'

/** The zero address stands for the native coin. */
export const NATIVE = zeroAddress

/** Builds transactions to a staking contract. */
export function makeStakingActions(contract: Address) {
  type Args = Parameters<typeof encodeFunctionData<typeof feeStakingAbi>>[0]
  const call = (from: Address, args: Omit<Args, 'abi'>, value = 0n): Action => ({
    from,
    to: contract,
    data: encodeFunctionData({ abi: feeStakingAbi, ...args } as Args),
    value,
  })
  return {
    contract,
    createPool: (
      owner: Address,
      token: Address,
      { reward = NATIVE as Address, cooldown = 600n, period = 86_400n } = {},
    ) => call(owner, { functionName: 'createPool', args: [token, reward, cooldown, period] }),
    stake: (from: Address, pool: bigint, amount: bigint) => call(from, { functionName: 'stake', args: [pool, amount] }),
    unstake: (from: Address, pool: bigint, amount: bigint) =>
      call(from, { functionName: 'requestUnstake', args: [pool, amount] }),
    withdraw: (from: Address, pool: bigint) => call(from, { functionName: 'withdraw', args: [pool] }),
    claim: (from: Address, pool: bigint) => call(from, { functionName: 'claim', args: [pool] }),
    /** `value` is the amount where the reward is the native coin, and 0 else. */
    fund: (from: Address, pool: bigint, amount: bigint, value = amount) =>
      call(from, { functionName: 'fund', args: [pool, amount] }, value),
  }
}

export type StakingActions = ReturnType<typeof makeStakingActions>

/** A further staking contract. */
export async function deployStaking(node: Node, owner: Address): Promise<Address> {
  const data = encodeDeployData({ abi: feeStakingAbi, bytecode: stakingArtifact.bytecode as Hex, args: [owner] })
  const [receipt] = await node.run({ from: owner, data })
  return receipt!.contractAddress!.toLowerCase() as Address
}

/** The amount that a wallet could claim at the latest block, by the contract. */
export const readEarned = ({ chain }: Pick<TestChain, 'chain'>, contract: Address, pool: bigint, wallet: Address) =>
  chain.client.readContract({ address: contract, abi: feeStakingAbi, functionName: 'earned', args: [pool, wallet] })
