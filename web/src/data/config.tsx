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

interface Traded {
  launchpad: { kind: string }
  quote: QuoteAsset
  status: string
}

/** Tells what the service can do at a launchpad. */
function useCapabilities({ launchpad: { kind } }: Pick<Traded, 'launchpad'>) {
  const { launchpads } = useConfig()
  return (name: Config['launchpads'][number]['capabilities'][number]) =>
    launchpads.some((one) => one.kind === kind && one.capabilities.includes(name))
}

/** Whether the service can trade with a token: its calls pay in native coin. */
export function useCanTrade(token: Traded): boolean {
  const can = useCapabilities(token)
  return isNative(token.quote) && (can('trade') || (token.status === 'graduated' && can('pool-trade')))
}

/** Whether the creator of a token claims its fees by a transaction that the service builds. */
export const useCanClaimFees = (token: Pick<Traded, 'launchpad'>): boolean => useCapabilities(token)('creator-fees')

/** The launchpads of the service, each kind once. */
export function useLaunchpads(): readonly { id: string; label: string }[] {
  const { launchpads } = useConfig()
  return [...new Map(launchpads.map(({ kind, name }) => [kind, { id: kind, label: name }])).values()]
}

/** The name of a token's launchpad, where tokens of several launchpads are shown; else null. */
export function useLaunchpadName({ launchpad }: { launchpad: { name: string } }): string | null {
  return useLaunchpads().length > 1 ? launchpad.name : null
}

type QuoteAsset = Schema<'QuoteAsset'>

/** Whether an asset is the native coin. */
export const isNative = ({ address }: QuoteAsset): boolean => BigInt(address) === 0n

/** Ends the label of price changes of several tokens, which are in their quote assets. */
export function useChangeUnit(): string {
  const [first, ...others] = useConfig().quotes
  return first && others.length === 0 ? `in ${first.symbol}` : 'in quote asset'
}

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
  return useMemo(() => toCoin({ symbol, decimals }), [symbol, decimals])
}

/** How amounts of an asset are written, such as those of a token in its quote asset. */
export function toCoin({ symbol, decimals }: Pick<QuoteAsset, 'symbol' | 'decimals'>): Coin {
  const figure: Coin['figure'] = (base) => formatAmount(base, decimals)
  return { symbol, decimals, figure, format: (base) => `${figure(base)} ${symbol}` }
}
