import { continueSession, ensureSignedIn, readToken, type Schema, signOut, toUserMessage } from '@slipway/sdk'
import { useOperation, useSlipway } from '@slipway/sdk/react'
import { createContext, type ReactNode, useCallback, useContext, useEffect, useMemo, useRef, useState } from 'react'
import { useConnection, useConfig as useWagmiConfig } from 'wagmi'
import { getConnectorClient } from 'wagmi/actions'
import { api, hasSessions, setSilentSignIn } from '../lib/api.ts'
import { readTime } from '../lib/time.ts'
import { forgetRemembered, readRemembered, storeRemembered } from '../session/remembered.ts'
import { retryWhenLimited } from '../session/retry-when-limited.ts'
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
  /** When a sign-in that a quota rejected is repeated, in milliseconds since 1970; null if none waits. */
  waitsUntil: number | null
  /** Why the last sign-in without a click failed; null if it did not. */
  problem: string | null
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
  // While another wallet is asked to connect, the former one stays. One that wagmi has only read from storage has no functions.
  const isKept = status === 'connecting' && typeof connector?.getChainId === 'function'
  const isConnected = status === 'connected' || isKept
  const wallet = isConnected && address ? address.toLowerCase() : null
  const isDemo = connector?.id === DEMO_CONNECTOR
  const isSignedIn = wallet !== null && signedIn === wallet
  const [isConnecting, setConnecting] = useState(false)
  const [isSigningIn, setSigningIn] = useState(false)
  const [waitsUntil, setWaitsUntil] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const attempt = useRef<Promise<void> | null>(null)
  const departure = useRef<Promise<void> | null>(null)
  const { data } = useOperation(api.auth.identity.with(), { enabled: isSignedIn, scope: signedIn })
  const identity = isSignedIn && data?.wallet === wallet ? data : null

  const ensure = useCallback((): Promise<void> => {
    // Two actions at once ask the wallet for one signature.
    attempt.current ??= (async () => {
      setSigningIn(true)
      setProblem(null)
      try {
        await retryWhenLimited(async () => {
          // The response of a sign-out removes the browser's session: it must not arrive after that of the sign-in.
          await departure.current
          const client = await getConnectorClient(wagmi)
          if (await resume(client.account.address)) return
          await ensureSignedIn(api, client, { remember: hasSessions })
          storeRemembered(client.account.address.toLowerCase())
        }, setWaitsUntil)
      } finally {
        setSigningIn(false)
        attempt.current = null
      }
    })()
    return attempt.current
  }, [wagmi])

  const leave = useCallback((): Promise<void> => {
    departure.current ??= signOutForGood(wallet).finally(() => {
      departure.current = null
    })
    return departure.current
  }, [wallet])

  // The browser's session ends for all tabs when one leaves it. A demo wallet then starts its own with the next request.
  useEffect(() => {
    if (!isDemo) return
    setSilentSignIn(async (rejected) => {
      if (rejected !== wallet || departure.current) return false
      await ensure()
      return true
    })
    return () => setSilentSignIn(undefined)
  }, [isDemo, wallet, ensure])

  // Another wallet, or none: the session of the former one ends.
  useEffect(() => {
    if (signedIn !== undefined && wallet !== signedIn && status !== 'reconnecting') void leave()
  }, [signedIn, wallet, status, leave])

  // A reload and another tab continue the session of the browser. A demo wallet signs without asking, so it signs in at once.
  useEffect(() => {
    if (!wallet || signedIn !== undefined || !(isDemo || readRemembered() === wallet)) return
    const enter = isDemo ? ensure() : retryWhenLimited(() => resume(wallet), setWaitsUntil)
    enter.catch((error: unknown) => setProblem(toUserMessage(error)))
  }, [isDemo, wallet, signedIn, ensure])

  const session = useMemo<Session>(
    () => ({
      wallet,
      isDemo,
      isSignedIn,
      identity,
      isSigningIn,
      waitsUntil,
      problem: isSignedIn ? null : problem,
      ensure,
      leave,
      isConnecting,
      setConnecting,
    }),
    [wallet, isDemo, isSignedIn, identity, isSigningIn, waitsUntil, problem, ensure, leave, isConnecting],
  )
  return <SessionContext value={session}>{children}</SessionContext>
}

/** Continues the browser's session of this wallet without a signature. Resolves to whether the wallet is signed in. */
async function resume(address: string): Promise<boolean> {
  const wallet = address.toLowerCase()
  if (readToken(api.token, readTime()) === wallet) return true
  if (readRemembered() !== wallet) return false
  if ((await continueSession(api, { wallet })) || readToken(api.token, readTime()) === wallet) return true
  forgetRemembered(wallet)
  return false
}

/** Revokes the token of this tab and drops it, even if the service does not respond. That of another wallet stays. */
async function signOutForGood(connected: string | null): Promise<void> {
  const { token } = api
  const wallet = readToken(token, readTime()) ?? connected
  if (wallet) forgetRemembered(wallet)
  await signOut(api).catch(() => {})
  // Also one that renewed it meanwhile.
  if (api.token === token || readToken(api.token, readTime()) === wallet) api.token = undefined
}
