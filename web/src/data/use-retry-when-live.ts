import { useSlipway } from '@slipway/sdk/react'
import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'

/** After an outage, requests what could not be loaded again when the socket opens: also what no event would request. */
export function useRetryWhenLive(): void {
  const client = useQueryClient()
  const { isLive } = useSlipway()
  useEffect(() => {
    if (isLive) void client.refetchQueries({ type: 'active', predicate: ({ state }) => state.status === 'error' })
  }, [isLive, client])
}
