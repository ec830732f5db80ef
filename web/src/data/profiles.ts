import { keyOf } from '@slipway/sdk/react'
import type { QueryClient } from '@tanstack/react-query'
import { api } from '../lib/api.ts'

/** Requests the shown profile again, which was loaded by its address or by its username. */
export async function reloadProfiles(client: QueryClient): Promise<void> {
  for (const read of [api.profiles.get, api.profiles.named]) await client.invalidateQueries({ queryKey: keyOf(read) })
}
