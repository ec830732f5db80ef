import type { Schema } from '@slipway/sdk'
import { createContext, useContext } from 'react'

export type Config = Schema<'Config'>

/** Name and decimals of the chain's coin. */
export const COIN = { symbol: 'ETH', decimals: 18 } as const

const ConfigContext = createContext<Config | null>(null)
export const ConfigProvider = ConfigContext.Provider

/** The configuration of the service, which is loaded before the first screen. */
export function useConfig(): Config {
  const config = useContext(ConfigContext)
  if (!config) throw new Error('The configuration is not loaded')
  return config
}
