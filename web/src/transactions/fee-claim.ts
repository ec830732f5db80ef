import { buildCreatorFeeClaim, readLaunchpad, transact } from '@slipway/sdk'
import { useConfig } from '../data/config.tsx'
import { api } from '../lib/api.ts'
import { useAction } from './use-action.ts'

/** Pays out the creator fees of a token, to all who share them. No operation syncs it: the indexer reads it with its block. */
export function useFeeClaim() {
  const config = useConfig()
  return useAction({ label: 'Claim of creator fees' }, async (token: string, { wallet, flow }) => {
    const launchpad = await readLaunchpad(api, token)
    return transact(api, wallet, buildCreatorFeeClaim(config, { token, launchpad }), undefined, flow)
  })
}
