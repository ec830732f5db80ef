import {
  getRaise,
  listCommitments,
  listProposals,
  listRaises,
  listStakingPools,
  listStakingPositions,
} from '../operations.ts'
import type { Options, Schema } from '../types.ts'
import { useSlipway } from './provider.ts'
import { type ListResult, type OperationResult, useList, useOperation } from './use-operation.ts'

const REFETCH_MS = 500
const roomOf = (id: string) => `raise:${id.toLowerCase()}` as const

/** Raises, requested again after each of their transactions. */
export function useRaises(query?: Options<'listRaises'>['query']): ListResult<typeof listRaises> {
  return useList(listRaises, query && { query }, { rooms: ['raises'], keepPrevious: true })
}

/** A raise with the signed-in wallet's commitment, requested again after each transaction. */
export function useRaise(id: string): OperationResult<Schema<'Raise'>> {
  return useOperation(getRaise, { path: { id } }, { rooms: [roomOf(id)], refetchMs: REFETCH_MS })
}

/** Proposals of a raise, requested again after each transaction. */
export function useProposals(
  raiseId: string,
  query?: Options<'listProposals'>['query'],
): ListResult<typeof listProposals> {
  const options = { path: { id: raiseId }, ...(query && { query }) }
  return useList(listProposals, options, { rooms: [roomOf(raiseId)], refetchMs: REFETCH_MS })
}

/** Commitments to a raise, requested again after each transaction. */
export function useCommitments(raiseId: string): ListResult<typeof listCommitments> {
  return useList(listCommitments, { path: { id: raiseId } }, { rooms: [roomOf(raiseId)], refetchMs: REFETCH_MS })
}

/** Staking pools, requested again after each transaction. */
export function useStakingPools(query?: Options<'listStakingPools'>['query']): ListResult<typeof listStakingPools> {
  return useList(listStakingPools, query && { query }, { rooms: ['staking'] })
}

/** Positions of a wallet, by default the signed-in one, requested again after each transaction. */
export function useStakingPositions(
  query: NonNullable<Options<'listStakingPositions'>['query']> = {},
): ListResult<typeof listStakingPositions> {
  const { wallet } = useSlipway()
  const owner = query.wallet ?? wallet
  return useList(listStakingPositions, { query }, { rooms: ['staking'], enabled: owner !== undefined, scope: owner })
}
