import { ensureSignedIn, getIdentity, type Schema, signOut } from '@slipway/sdk'
import { useOperation, useSlipway } from '@slipway/sdk/react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { useConnection, useConfig as useWagmiConfig } from 'wagmi'
import { getWalletClient } from 'wagmi/actions'
import { api } from '../lib/api.ts'
import { DEMO_CONNECTOR } from './demo-connector.ts'

export type Identity = Schema<'Identity'>

interface Session {
  /** The connected wallet, in lower case; null without one. */
  wallet: string | null
  isDemo: boolean
  /** Whether the connected wallet has signed in. */
  isSignedIn: boolean
  /** null until the service has confirmed who is signed in. */
  identity: Identity | null
  isSigningIn: boolean
  /** Signs in unless that is done. Rejects if the wallet refuses. */
  ensure(): Promise<void>
  leave(): Promise<void>
  /** Whether the dialog that connects a wallet is open. */
  isConnecting: boolean
  setConnecting(open: boolean): void
}

const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = useContext(SessionContext)
  if (!session) throw new Error('No session')
  return session
}

export function SessionProvider({ children }: { children: ReactNode }) {
  const wagmi = useWagmiConfig()
  const { address, connector, status } = useConnection()
  const { wallet: signedIn } = useSlipway()
  const wallet = status === 'connected' && address ? address.toLowerCase() : null
  const isDemo = connector?.id === DEMO_CONNECTOR
  const isSignedIn = wallet !== null && signedIn === wallet
  const [isConnecting, setConnecting] = useState(false)
  const [isSigningIn, setSigningIn] = useState(false)
  const attempt = useRef<Promise<void> | null>(null)
  const { data } = useOperation(getIdentity, {}, { enabled: isSignedIn, scope: signedIn })
  const identity = isSignedIn && data?.wallet === wallet ? data : null

  const ensure = useCallback((): Promise<void> => {
    // Two actions at once ask the wallet for one signature.
    attempt.current ??= (async () => {
      setSigningIn(true)
      try {
        await ensureSignedIn(api, await getWalletClient(wagmi))
      } finally {
        setSigningIn(false)
        attempt.current = null
      }
    })()
    return attempt.current
  }, [wagmi])

  const leave = useCallback(
    () =>
      signOut(api).catch(() => {
        api.token = undefined
      }),
    [],
  )

  // Another wallet, or none: the session of the former one ends.
  useEffect(() => {
    if (signedIn !== undefined && wallet !== signedIn && status !== 'reconnecting') void leave()
  }, [signedIn, wallet, status, leave])

  // A demo wallet signs without asking, so it signs in at once.
  useEffect(() => {
    if (isDemo && wallet && signedIn === undefined) ensure().catch(() => {})
  }, [isDemo, wallet, signedIn, ensure])

  const session = useMemo<Session>(
    () => ({ wallet, isDemo, isSignedIn, identity, isSigningIn, ensure, leave, isConnecting, setConnecting }),
    [wallet, isDemo, isSignedIn, identity, isSigningIn, ensure, leave, isConnecting],
  )
  return <SessionContext value={session}>{children}</SessionContext>
}
