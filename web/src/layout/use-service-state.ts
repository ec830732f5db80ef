import { useSlipway } from '@slipway/sdk/react'
import { useEffect, useState } from 'react'
import { API_URL } from '../lib/api.ts'

/** Time that the socket may take to open before the page says that something is wrong. */
const PATIENCE_MS = 4_000
const PROBE_MS = 3_000

/** live: events arrive. no-events: the socket is closed, but requests are answered. down: requests fail as well. */
export type ServiceState = 'live' | 'no-events' | 'down'

/** Whether the service answers requests. */
export async function isServiceUp(): Promise<boolean> {
  try {
    return (await fetch(`${API_URL}/live`, { cache: 'no-store', signal: AbortSignal.timeout(PROBE_MS) })).ok
  } catch {
    return false
  }
}

/** The state of the service. Sends requests only while the socket is closed. */
export function useServiceState(): ServiceState {
  const { isLive } = useSlipway()
  const [state, setState] = useState<ServiceState>('live')
  useEffect(() => {
    if (isLive) return setState('live')
    let timer = setTimeout(probe, PATIENCE_MS)
    let isOver = false
    async function probe() {
      const isUp = await isServiceUp()
      if (isOver) return
      setState(isUp ? 'no-events' : 'down')
      timer = setTimeout(probe, PROBE_MS)
    }
    return () => {
      isOver = true
      clearTimeout(timer)
    }
  }, [isLive])
  return state
}
