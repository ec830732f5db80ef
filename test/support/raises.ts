import { type Address, encodeFunctionData, type Hex, parseEther } from 'viem'
import { raisesAbi } from '../../chain/abi/raises.ts'
import type { Action, Node } from './chain-fixture.ts'

/** Seconds between the end of a vote that passed and its execution, in the demonstration. */
export const EXIT_WINDOW = 3_600

export const [AGAINST, FOR, ABSTAIN] = [0, 1, 2] as const

/** Terms of a raise; times in unix seconds. */
export interface RaiseChoice {
  token: Address
  endAt: bigint
  startAt?: bigint
  /** Given: wallets have to register, from then until startAt. */
  registrationStart?: bigint
  tokenAmount?: bigint
  goalMin?: bigint
  goalMax?: bigint
  walletMin?: bigint
  walletMax?: bigint
  votingDelay?: number
  votingPeriod?: number
  quorumBps?: number
  title?: string
  metadataURI?: string
}

/** Builds transactions to a raises contract. */
export function makeRaiseActions(contract: Address) {
  type Args = Parameters<typeof encodeFunctionData<typeof raisesAbi>>[0]
  const call = (from: Address, args: Omit<Args, 'abi'>, value = 0n): Action => ({
    from,
    to: contract,
    data: encodeFunctionData({ abi: raisesAbi, ...args } as Args),
    value,
  })
  return {
    contract,
    create: (creator: Address, choice: RaiseChoice) => {
      const params = {
        registrationRequired: choice.registrationStart !== undefined,
        ...{ quorumBps: 4_000, votingDelay: 0, votingPeriod: 3_600, registrationStart: 0n, startAt: 0n },
        ...{ tokenAmount: 1_000n, goalMin: parseEther('4'), goalMax: parseEther('10'), walletMin: 0n, walletMax: 0n },
        ...{ title: 'A harbour for cats', metadataURI: 'ipfs://harbour' },
        ...choice,
      }
      return call(creator, { functionName: 'createRaise', args: [params] })
    },
    register: (from: Address, raise: bigint) => call(from, { functionName: 'register', args: [raise] }),
    commit: (from: Address, raise: bigint, value: bigint) =>
      call(from, { functionName: 'commit', args: [raise] }, value),
    finalize: (from: Address, raise: bigint) => call(from, { functionName: 'finalize', args: [raise] }),
    cancel: (from: Address, raise: bigint) => call(from, { functionName: 'cancel', args: [raise] }),
    claim: (from: Address, raise: bigint) => call(from, { functionName: 'claim', args: [raise] }),
    refund: (from: Address, raise: bigint) => call(from, { functionName: 'refund', args: [raise] }),
    reclaim: (from: Address, raise: bigint) => call(from, { functionName: 'reclaimTokens', args: [raise] }),
    dissolve: (from: Address, raise: bigint) => call(from, { functionName: 'dissolve', args: [raise] }),
    propose: (from: Address, raise: bigint, amount: bigint, recipient: Address, title = 'Build the pier') =>
      call(from, { functionName: 'propose', args: [raise, amount, recipient, title, 'ipfs://pier'] }),
    proposeDissolution: (from: Address, raise: bigint) =>
      call(from, { functionName: 'proposeDissolution', args: [raise, 'Give it back', ''] }),
    vote: (from: Address, proposal: bigint, support: number) =>
      call(from, { functionName: 'vote', args: [proposal, support] }),
    exit: (from: Address, proposal: bigint) => call(from, { functionName: 'exit', args: [proposal] }),
    execute: (from: Address, proposal: bigint) => call(from, { functionName: 'execute', args: [proposal] }),
    cancelProposal: (from: Address, proposal: bigint) =>
      call(from, { functionName: 'cancelProposal', args: [proposal] }),
  }
}

export type RaiseActions = ReturnType<typeof makeRaiseActions>

/** The time of the latest block, in unix seconds. */
export async function readTime(node: Node): Promise<bigint> {
  const { timestamp } = await node.call<{ timestamp: Hex }>('eth_getBlockByNumber', 'latest', false)
  return BigInt(timestamp)
}

/** Mines a block at that time, unless the chain is past it already. */
export async function reachTime(node: Node, time: bigint): Promise<void> {
  const seconds = Number(time - (await readTime(node)))
  if (seconds > 0) await node.mine(seconds)
}
