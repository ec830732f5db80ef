import { readRaiseRules } from '@slipway/sdk'
import { useSlipway } from '@slipway/sdk/react'
import { useQuery } from '@tanstack/react-query'
import { useConfig } from '../data/config.tsx'

/** Rules of new raises, which never change. Undefined until they are known. */
export function useRaiseRules() {
  const { client } = useSlipway()
  const { contracts } = useConfig()
  const raises = contracts.findLast(({ kind }) => kind === 'raises')?.address
  return useQuery({
    queryKey: ['raise-rules', raises],
    enabled: raises !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: ({ signal }) => readRaiseRules(client, raises as string, { signal }),
  })
}
