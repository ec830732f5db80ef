import { getNamedProfile, getProfile } from '@slipway/sdk'
import { keyOf } from '@slipway/sdk/react'
import type { QueryClient } from '@tanstack/react-query'

/** Requests the shown profile again, which was loaded by its address or by its username. */
export async function reloadProfiles(client: QueryClient): Promise<void> {
  for (const operation of [getProfile, getNamedProfile]) await client.invalidateQueries({ queryKey: keyOf(operation) })
}
