import { useOperation } from '@slipway/sdk/react'
import { useCoin } from '../../data/config.tsx'
import { api } from '../../lib/api.ts'
import { shorten } from '../../lib/links.ts'

/** Whether the address of a token stands for the native coin. */
export const isNativeToken = (address: string): boolean => /^0x0{40}$/.test(address)

/** The symbol of a token that was launched here, of the native coin, or a short address. */
export function useTokenSymbol(address: string): string {
  const { symbol } = useCoin()
  const isNative = isNativeToken(address)
  const { data } = useOperation(api.tokens.get.with(address), { enabled: !isNative })
  return isNative ? symbol : (data?.symbol ?? shorten(address))
}
