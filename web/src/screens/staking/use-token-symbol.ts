import { getToken } from '@slipway/sdk'
import { useOperation } from '@slipway/sdk/react'
import { COIN } from '../../data/config.tsx'
import { shorten } from '../../lib/links.ts'

const NATIVE = `0x${'0'.repeat(40)}`

/** The symbol of a token that was launched here, of the native coin, or a short address. */
export function useTokenSymbol(address: string): string {
  const isNative = address === NATIVE
  const { data } = useOperation(getToken, { path: { address } }, { enabled: !isNative })
  return isNative ? COIN.symbol : (data?.symbol ?? shorten(address))
}
