import { readFeeRight } from '@slipway/sdk'
import { useSlipway } from '@slipway/sdk/react'
import { useQuery } from '@tanstack/react-query'

/** Who gets a token's creator fees: as the contract says now, since it is not indexed. */
export function useFeeRight(token: string) {
  const { client } = useSlipway()
  return useQuery({
    queryKey: ['fee-right', token],
    // A form that opens again begins with what holds then, not with what held before its own change.
    gcTime: 0,
    queryFn: ({ signal }) => readFeeRight(client, token, { signal }),
  })
}
