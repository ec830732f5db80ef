import { useLive } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { useSession } from '../wallet/session.tsx'

/** Reads balances again when the signed-in wallet acts, from wherever. */
export function useWalletEvents(): void {
  const client = useQueryClient()
  const { wallet, isSignedIn } = useSession()
  useLive(isSignedIn ? `wallet:${wallet}` : null, ({ type }) => {
    if (type.startsWith('transaction')) void client.invalidateQueries({ queryKey: ['balance'] })
  })
}
