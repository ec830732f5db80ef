import { toUserMessage } from '@slipway/sdk'
import { Link } from '@tanstack/react-router'
import { useCallback, useEffect, useState } from 'react'
import { Button, buttonClass } from '../components/button.tsx'
import { Empty } from '../components/states.tsx'
import { PartNotLoadedError } from '../lib/lazy-component.tsx'
import { tabStorage } from '../lib/storage.ts'
import { isServiceUp } from './use-service-state.ts'

export function MissingScreen() {
  return (
    <Empty icon="search" title="There is no such page">
      <Link to="/" className={`${buttonClass({ kind: 'primary' })} mt-2`}>
        To the market
      </Link>
    </Empty>
  )
}

export function CrashScreen({ error, reset }: { error: unknown; reset: () => void }) {
  if (error instanceof PartNotLoadedError) return <NotLoadedScreen error={error} reset={reset} />
  return (
    <div role="alert">
      <Empty icon="close" title="This page failed">
        <p className="mb-3">{toUserMessage(error)}</p>
        <Button onClick={reset}>Try again</Button>
      </Empty>
    </div>
  )
}

const RELOADED = 'slipway.reloaded'
const RELOAD_AGAIN_MS = 60_000
const RETRY_MS = 3_000

/** The chunk of a screen did not load. Tries again by itself when the service responds. */
function NotLoadedScreen({ error, reset }: { error: PartNotLoadedError; reset: () => void }) {
  const [isBusy, setBusy] = useState(false)
  const [isUp, setUp] = useState(true)
  const retry = useCallback(
    async (isAsked: boolean) => {
      setBusy(true)
      const isLoaded = await error.load()
      const isUp = isLoaded || (await isServiceUp())
      setBusy(false)
      setUp(isUp)
      if (isLoaded) return reset()
      if (!isUp) return
      // The service runs, but its build has other chunks, or the browser remembers the failure: a new document has neither.
      const last = Number(tabStorage.getItem(RELOADED))
      if (!isAsked && Date.now() - last < RELOAD_AGAIN_MS) return
      tabStorage.setItem(RELOADED, String(Date.now()))
      location.reload()
    },
    [error, reset],
  )
  useEffect(() => void retry(false), [retry])
  useEffect(() => {
    if (isUp) return
    const timer = setInterval(() => void retry(false), RETRY_MS)
    return () => clearInterval(timer)
  }, [isUp, retry])
  return (
    <div role="alert">
      <Empty icon="close" title="This page could not be loaded">
        <p className="mb-3">
          {isUp
            ? 'A part of it did not arrive. Try again.'
            : 'The service does not respond. The page opens by itself when it does.'}
        </p>
        <Button disabled={isBusy} onClick={() => void retry(true)}>
          {isBusy ? 'Loading…' : 'Try again'}
        </Button>
      </Empty>
    </div>
  )
}
