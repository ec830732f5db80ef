import type { Schema } from '@slipway/sdk'
import { formatAmount } from '@slipway/sdk/helpers'
import { createContext, useContext, useMemo } from 'react'

export type Config = Schema<'Config'>

const ConfigContext = createContext<Config | null>(null)
export const ConfigProvider = ConfigContext.Provider

/** The configuration of the service, which is loaded before the first screen. */
export function useConfig(): Config {
  const config = useContext(ConfigContext)
  if (!config) throw new Error('The configuration is not loaded')
  return config
}

/** Whether the service can trade with tokens of a launchpad. */
export const useCanTrade = (kind: string): boolean =>
  useConfig().launchpads.some((one) => one.kind === kind && one.capabilities.includes('trade'))

export interface Coin {
  symbol: string
  decimals: number
  /** An amount in base units, as in `1.23`. */
  figure(base: string | bigint | null | undefined): string
  /** The same with the symbol, as in `1.23 ETH`. */
  format(base: string | bigint | null | undefined): string
}

/** The native coin of the chain, and how its amounts are written. */
export function useCoin(): Coin {
  const { symbol, decimals } = useConfig().nativeCurrency
  return useMemo(() => {
    const figure: Coin['figure'] = (base) => formatAmount(base, decimals)
    return { symbol, decimals, figure, format: (base) => `${figure(base)} ${symbol}` }
  }, [symbol, decimals])
}
