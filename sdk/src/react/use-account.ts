import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { getConfig, getPortfolio, listNotifications, readNotifications } from '../operations.ts'
import type { Room } from '../rooms.ts'
import { type Signer, signIn, signOut } from '../sign-in.ts'
import type { Data, Options, Schema } from '../types.ts'
import { useSlipway } from './provider.ts'
import { keyOf } from './query-key.ts'
import { extendResult, type ListResult, type OperationResult, useList, useOperation } from './use-operation.ts'

export interface SignInState {
  /** The wallet that is signed in, in lower case. */
  wallet: string | undefined
  isSignedIn: boolean
  /** Signs in with Ethereum: a viem account or wallet client, or an EIP-1193 provider. Resolves to the token. */
  signIn: (signer: Signer) => Promise<string>
  signOut: () => Promise<void>
  isPending: boolean
  error: Error | null
}

/** Who is signed in, and signing in and out. */
export function useSignIn(): SignInState {
  const { client, wallet } = useSlipway()
  const entering = useMutation({ mutationFn: (signer: Signer) => signIn(client, signer) })
  const leaving = useMutation({ mutationFn: () => signOut(client) })
  return {
    wallet,
    isSignedIn: wallet !== undefined,
    signIn: entering.mutateAsync,
    signOut: leaving.mutateAsync,
    isPending: entering.isPending || leaving.isPending,
    error: entering.error ?? leaving.error,
  }
}

/** The channel of a wallet, which only its token may enter. */
const ownRooms = (wallet: string | undefined): Room[] => (wallet ? [`wallet:${wallet}`] : [])

export type NotificationsResult = ListResult<typeof listNotifications> & {
  unreadCount: number
  /** Marks notifications as read: those of the ids, or all. */
  markRead: (ids?: readonly string[]) => Promise<Data<'readNotifications'>>
}

/** Notifications of the signed-in wallet; empty while none is. */
export function useNotifications(query?: Options<'listNotifications'>['query']): NotificationsResult {
  const { client, wallet } = useSlipway()
  const queryClient = useQueryClient()
  const list = useList(listNotifications, query && { query }, {
    rooms: ownRooms(wallet),
    enabled: wallet !== undefined,
    scope: wallet,
    refetchMs: 500,
    apply: (data, { type }) => (type.startsWith('notification') ? undefined : data),
  })
  const markRead = useCallback(
    async (ids?: readonly string[]) => {
      const body = ids ? { ids: [...ids] } : { all: true as const }
      const result = await readNotifications(client, { body })
      await queryClient.invalidateQueries({ queryKey: keyOf(listNotifications) })
      return result
    },
    [client, queryClient],
  )
  return extendResult(list, { unreadCount: list.data?.pages[0]?.unreadCount ?? 0, markRead })
}

/** Holdings, launches, stakes and commitments of a wallet; live for the signed-in wallet, else polled. */
export function usePortfolio(wallet: string): OperationResult<Schema<'Portfolio'>> {
  const slipway = useSlipway()
  const isOwn = slipway.wallet === wallet.toLowerCase()
  return useOperation(
    getPortfolio,
    { query: { wallet } },
    {
      // Trades of others are not sent here, but each changes the statistics, and may move prices of the portfolio.
      rooms: isOwn ? [...ownRooms(slipway.wallet), 'stats'] : ['stats'],
      refetchMs: isOwn ? 5_000 : 10_000,
    },
  )
}

/** The configuration of the service. It is requested once. */
export function useConfig(): OperationResult<Schema<'Config'>> {
  return useOperation(getConfig)
}
