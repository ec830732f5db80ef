import { readLaunchTerms } from '@slipway/sdk'
import { useSlipway } from '@slipway/sdk/react'
import { useQuery } from '@tanstack/react-query'
import { useConfig } from '../data/config.tsx'

/** The contract of new launches; undefined if there is none. */
export function useNewestLaunchpad(): string | undefined {
  const { launchpads } = useConfig()
  return launchpads.findLast(({ capabilities }) => capabilities.includes('launch'))?.address
}

/** Terms of new launches: the creator agrees to those that are shown. Undefined until they are known. */
export function useLaunchTerms() {
  const { client } = useSlipway()
  const newest = useNewestLaunchpad()
  return useQuery({
    queryKey: ['launch-terms', newest],
    enabled: newest !== undefined,
    refetchInterval: 15_000,
    queryFn: ({ signal }) => readLaunchTerms(client, newest as string, { signal }),
  })
}
