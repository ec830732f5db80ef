import { useSlipway } from '@slipway/sdk/react'
import { useEffect, useState } from 'react'

/** Time that the socket may take to open before the page says that it is down. */
const PATIENCE_MS = 4_000

/** Whether live events have been missing for a while. */
export function useIsOffline(): boolean {
  const { isLive } = useSlipway()
  const [isOffline, setOffline] = useState(false)
  useEffect(() => {
    if (isLive) return setOffline(false)
    const timer = setTimeout(() => setOffline(true), PATIENCE_MS)
    return () => clearTimeout(timer)
  }, [isLive])
  return isOffline
}
