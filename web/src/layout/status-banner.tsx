import { type ReactNode, useEffect, useState } from 'react'
import { useLimitedUntil } from '../data/request-limit.ts'
import { useSession } from '../wallet/session.tsx'
import { type ServiceState, useServiceState } from './use-service-state.ts'

const texts: Record<ServiceState, string | null> = {
  live: null,
  'no-events': 'Live updates are interrupted. Reconnecting; until then, figures refresh every few seconds.',
  down: 'The service does not respond. Figures may be old, and nothing can be sent. This page reconnects by itself.',
}

/**
 * What is wrong, in a line each: with the service, so that nobody takes old prices for current ones, or with the sign-in; and why
 * placeholders stay. It stays in view when the page is scrolled.
 */
export function StatusBanner() {
  const text = texts[useServiceState()]
  return (
    <div role="status">
      {text ? <Line>{text}</Line> : <SignInLine />}
      <LimitLine />
    </div>
  )
}

/** Why placeholders stay while requests wait for the quota. */
function LimitLine() {
  const seconds = useSecondsUntil(useLimitedUntil())
  if (!seconds) return null
  // The time changes every second, which nobody wants to hear.
  return (
    <Line>
      Too many requests<span aria-hidden="true">; trying again in {seconds} s</span>
      <span className="sr-only">. They are sent again by themselves.</span>
    </Line>
  )
}

/** The page while the quota rejects even the first request; nothing otherwise. */
export function LimitScreen() {
  const seconds = useSecondsUntil(useLimitedUntil())
  if (!seconds) return null
  return (
    <main>
      <h1 className="sr-only">Loading</h1>
      <div role="status">
        <LimitLine />
      </div>
    </main>
  )
}

function SignInLine() {
  const { waitsUntil, problem } = useSession()
  const seconds = useSecondsUntil(waitsUntil)
  if (seconds !== null)
    return (
      <Line>Too many sign-ins in the last minute. You will be signed in in {seconds} s, without doing anything.</Line>
    )
  if (problem) return <Line>You are not signed in: {problem}</Line>
  return null
}

function Line({ children }: { children: ReactNode }) {
  return <p className="bg-warn-soft px-4 py-1.5 text-center text-xs font-semibold text-warn">{children}</p>
}

/** Whole seconds until then, counting down; null without a time. */
function useSecondsUntil(until: number | null): number | null {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    if (until === null) return
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), 1_000)
    return () => clearInterval(timer)
  }, [until])
  return until === null ? null : Math.max(0, Math.ceil((until - now) / 1_000))
}
