import {
  banWallet,
  describeError,
  featureToken,
  getToken,
  hideToken,
  listTokens,
  type Schema,
  unbanWallet,
  unfeatureToken,
  unhideToken,
} from '@slipway/sdk'
import { keyOf } from '@slipway/sdk/react'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../../components/button.tsx'
import { FormField } from '../../components/form-field.tsx'
import { Notice } from '../../components/states.tsx'
import { api } from '../../lib/api.ts'

const ADDRESS = /^0x[0-9a-f]{40}$/i

/** Hides and features tokens, and bans wallets, by address. */
export function Moderation({ identity }: { identity: Schema<'Identity'> }) {
  return (
    <div className="grid gap-6 p-4 lg:grid-cols-2">
      <TokenModeration identity={identity} />
      {identity.isAdmin && <WalletModeration />}
    </div>
  )
}

type TokenAction = 'hide' | 'unhide' | 'feature' | 'unfeature'

function TokenModeration({ identity }: { identity: Schema<'Identity'> }) {
  const client = useQueryClient()
  const [address, setAddress] = useState('')
  const [reason, setReason] = useState('')
  const act = useMutation({
    mutationFn: async (action: TokenAction) => {
      const path = { address: address.trim() }
      const body = { reason: reason.trim() || null }
      if (action === 'hide') await hideToken(api, { path, body })
      else if (action === 'unhide') await unhideToken(api, { path, body })
      else if (action === 'feature') await featureToken(api, { path, body })
      else await unfeatureToken(api, { path })
      for (const key of [keyOf(listTokens), keyOf(getToken)]) await client.invalidateQueries({ queryKey: key })
      return action
    },
  })
  const isValid = ADDRESS.test(address.trim())
  return (
    <section aria-labelledby="moderate-token" className="grid content-start gap-3">
      <h2 id="moderate-token" className="font-bold">
        Token
      </h2>
      <FormField
        label="Address of the token"
        value={address}
        maxLength={42}
        spellCheck={false}
        autoComplete="off"
        placeholder="0x…"
        onChange={(event) => setAddress(event.target.value)}
      />
      <FormField
        label="Reason for the audit log"
        value={reason}
        maxLength={500}
        autoComplete="off"
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        {identity.isAdmin && (
          <>
            <Button kind="down" disabled={!isValid || act.isPending} onClick={() => act.mutate('hide')}>
              Hide
            </Button>
            <Button disabled={!isValid || act.isPending} onClick={() => act.mutate('unhide')}>
              Unhide
            </Button>
          </>
        )}
        {identity.isLabs && (
          <>
            <Button kind="primary" disabled={!isValid || act.isPending} onClick={() => act.mutate('feature')}>
              Feature
            </Button>
            <Button disabled={!isValid || act.isPending} onClick={() => act.mutate('unfeature')}>
              Stop featuring
            </Button>
          </>
        )}
      </div>
      {act.error && <Notice tone="bad">{describeError(act.error)}</Notice>}
      {act.data && <Notice tone="good">The token was updated: {act.data}.</Notice>}
    </section>
  )
}

function WalletModeration() {
  const [wallet, setWallet] = useState('')
  const [reason, setReason] = useState('')
  const act = useMutation({
    mutationFn: async (action: 'ban' | 'unban') => {
      const operation = action === 'ban' ? banWallet : unbanWallet
      const body = { reason: reason.trim() || null }
      return operation(api, { path: { wallet: wallet.trim() }, body })
    },
  })
  const isValid = ADDRESS.test(wallet.trim())
  return (
    <section aria-labelledby="moderate-wallet" className="grid content-start gap-3">
      <h2 id="moderate-wallet" className="font-bold">
        Wallet
      </h2>
      <FormField
        label="Address of the wallet"
        value={wallet}
        maxLength={42}
        spellCheck={false}
        autoComplete="off"
        placeholder="0x…"
        onChange={(event) => setWallet(event.target.value)}
      />
      <FormField
        label="Reason for the audit log"
        value={reason}
        maxLength={500}
        autoComplete="off"
        onChange={(event) => setReason(event.target.value)}
      />
      <div className="flex flex-wrap gap-2">
        <Button kind="down" disabled={!isValid || act.isPending} onClick={() => act.mutate('ban')}>
          Ban
        </Button>
        <Button disabled={!isValid || act.isPending} onClick={() => act.mutate('unban')}>
          Unban
        </Button>
      </div>
      {act.error && <Notice tone="bad">{describeError(act.error)}</Notice>}
      {act.data && (
        <Notice tone="good">{act.data.banned ? 'The wallet is banned.' : 'The wallet is not banned.'}</Notice>
      )}
    </section>
  )
}
