import type { Schema } from '@slipway/sdk'
import { toPosition } from '@slipway/sdk/helpers'
import { useOperation } from '@slipway/sdk/react'
import { api } from '../lib/api.ts'
import { useSession } from '../wallet/session.tsx'
import { useCoin } from './config.tsx'
import type { Token } from './tokens.ts'

/** The connected wallet's position in a token; null without a wallet, and for one that never had the token. */
export function usePosition(token: Token) {
  const { wallet } = useSession()
  const { decimals: coinDecimals } = useCoin()
  const { data } = useOperation(api.portfolio.holding.with(token.address, { wallet: wallet ?? token.creator }), {
    enabled: wallet !== null,
    rooms: [`token:${token.address}`],
    refetchMs: 1_000,
    apply: (holding, { type }) => (type === 'trade' || type === 'trade.retracted' ? undefined : holding),
  })
  const holding: Schema<'Holding'> | null = (wallet !== null && data) || null
  return holding && toPosition(holding, { decimals: token.decimals, coinDecimals })
}
