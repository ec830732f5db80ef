import { type Address, encodeFunctionData, parseEther, zeroAddress } from 'viem'
import { feeSplitterAbi } from '../../chain/abi/fee-splitter.ts'
import { feeStakingAbi } from '../../chain/abi/fee-staking.ts'
import type { Call, MarketContracts } from './calls.ts'
import { roundAmount } from './exchange.ts'
import type { PlannedToken } from './planned-token.ts'
import type { ScheduledAction } from './scheduled-action.ts'

const GAS = 500_000
const DAY = 86_400
/** Half of the launchpad's fees go to the stakers of the first pool. */
const STAKER_SHARE_BPS = 5_000n
const FEE_POOL = 1n
const OWN_POOL = 2n

/**
 * Two pools with stakers in every state (cooling down, withdrawn, claimed): one pays a share of the launchpad's fees to
 * stakers of `first`, the other pays `second` to its own stakers.
 */
export function planStaking(
  contracts: MarketContracts,
  owner: Address,
  { first, second }: { first: PlannedToken; second: PlannedToken },
): ScheduledAction[] {
  const staking = (from: Address, data: Call['data'], value?: bigint): Call => ({
    from,
    to: contracts.feeStaking,
    data,
    gas: GAS,
    ...(value && { value }),
  })
  const encode = (functionName: 'withdraw' | 'claim', pool: bigint) =>
    encodeFunctionData({ abi: feeStakingAbi, functionName, args: [pool] })
  const createPool = (token: PlannedToken, rewards: Address, cooldown: number, period: number) => {
    const args = [token.address, rewards, BigInt(cooldown), BigInt(period)] as const
    return staking(owner, encodeFunctionData({ abi: feeStakingAbi, functionName: 'createPool', args }))
  }
  const splitter = (data: Call['data']): Call => ({ from: owner, to: contracts.feeSplitter, data, gas: GAS })
  const setTerms = () =>
    splitter(
      encodeFunctionData({
        abi: feeSplitterAbi,
        functionName: 'setTerms',
        args: [owner, FEE_POOL, STAKER_SHARE_BPS],
      }),
    )
  const distribute = () => [splitter(encodeFunctionData({ abi: feeSplitterAbi, functionName: 'distribute' }))]

  const stakers = new Map<string, { wallet: Address; staked: bigint }>()
  /** The largest holder that does not stake yet stakes `percent` of its balance. */
  const stake = (name: string, pool: bigint, token: PlannedToken, percent: number) => () => {
    const wallet = token.largestHolder([...stakers.values()].map((staker) => staker.wallet))
    const amount = wallet ? roundAmount((token.balanceOf(wallet) * BigInt(percent)) / 100n) : 0n
    if (!wallet || amount === 0n) return []
    stakers.set(name, { wallet, staked: amount })
    const data = encodeFunctionData({ abi: feeStakingAbi, functionName: 'stake', args: [pool, amount] })
    return [...token.pay(wallet, contracts.feeStaking, amount), staking(wallet, data)]
  }
  const asStaker = (name: string, make: (staker: { wallet: Address; staked: bigint }) => Call) => () => {
    const staker = stakers.get(name)
    return staker ? [make(staker)] : []
  }
  const unstake = (name: string, pool: bigint, percent: bigint) =>
    asStaker(name, ({ wallet, staked }) => {
      const args = [pool, (staked * percent) / 100n] as const
      return staking(wallet, encodeFunctionData({ abi: feeStakingAbi, functionName: 'requestUnstake', args }))
    })
  const collect = (functionName: 'withdraw' | 'claim', name: string, pool: bigint) =>
    asStaker(name, ({ wallet }) => staking(wallet, encode(functionName, pool)))
  const fundWithOwnToken = () => {
    const wallet = second.largestHolder()
    if (!wallet) return []
    const amount = roundAmount(second.balanceOf(wallet) / 10n)
    const data = encodeFunctionData({ abi: feeStakingAbi, functionName: 'fund', args: [OWN_POOL, amount] })
    return [...second.pay(wallet, contracts.feeStaking, amount), staking(wallet, data)]
  }
  const fundWithCoins = () => {
    const amount = parseEther('0.25')
    const data = encodeFunctionData({ abi: feeStakingAbi, functionName: 'fund', args: [FEE_POOL, amount] })
    return [staking(owner, data, amount)]
  }

  return [
    { hoursAgo: 62, buildCalls: () => [createPool(first, zeroAddress, DAY, 7 * DAY), setTerms()] },
    { hoursAgo: 60, buildCalls: () => [createPool(second, second.address, 3 * DAY, 30 * DAY)] },
    { hoursAgo: 58, buildCalls: stake('early', FEE_POOL, first, 60) },
    { hoursAgo: 57, buildCalls: distribute },
    { hoursAgo: 52, buildCalls: stake('large', FEE_POOL, first, 80) },
    { hoursAgo: 48, buildCalls: stake('patient', OWN_POOL, second, 50) },
    { hoursAgo: 46, buildCalls: fundWithOwnToken },
    { hoursAgo: 40, buildCalls: stake('middle', FEE_POOL, first, 40) },
    { hoursAgo: 36, buildCalls: distribute },
    { hoursAgo: 30, buildCalls: unstake('early', FEE_POOL, 100n) },
    { hoursAgo: 24, buildCalls: stake('late', FEE_POOL, first, 50) },
    { hoursAgo: 20, buildCalls: stake('other', OWN_POOL, second, 30) },
    { hoursAgo: 12, buildCalls: fundWithCoins },
    { hoursAgo: 9, buildCalls: collect('claim', 'large', FEE_POOL) },
    { hoursAgo: 5, buildCalls: collect('withdraw', 'early', FEE_POOL) },
    { hoursAgo: 4, buildCalls: unstake('middle', FEE_POOL, 50n) },
    { hoursAgo: 2, buildCalls: distribute },
    { hoursAgo: 1, buildCalls: collect('claim', 'patient', OWN_POOL) },
  ]
}
