import chains from './chains.json' with { type: 'json' }
import { check, text } from './variables.ts'

/** Amounts of the native coin in the EVM always have 18 decimals: contracts and prices depend on it. */
const NATIVE_DECIMALS = 18

interface KnownChain {
  name: string
  /** Name and symbol of the native coin. */
  coin: string
  symbol: string
  explorer?: string
}

const knownChains: Readonly<Record<string, KnownChain>> = chains

/** Names of the native coin of the chain. */
interface NativeCurrency {
  name: string
  symbol: string
  decimals: number
  /** Name and symbol of the ERC-20 that wraps it. */
  wrappedName: string
  wrappedSymbol: string
}

/** "MON:Monad", or "MON" alone. */
const CURRENCY = /^([\w.$+-]{1,16})(?::([^\p{C}:]{1,64}))?$/u

function readCurrency(raw: string): { symbol: string; name: string } {
  const [, symbol, name = symbol] = CURRENCY.exec(raw) ?? []
  if (symbol === undefined || name === undefined) throw new TypeError('invalid')
  return { symbol, name: name.trim() }
}

function readExplorer(raw: string): string {
  const { protocol, search, hash } = new URL(raw)
  check(/^https?:$/.test(protocol) && search === '' && hash === '')
  return raw.replace(/\/+$/, '')
}

/** Variables that describe the chain where the table of known chains lacks it, or differs. */
export const chainVariables = {
  NATIVE_CURRENCY: text(
    {
      description: 'Native coin of the chain; default from CHAIN_ID',
      accepts: 'symbol or symbol:name, such as MON:Monad; the coin of an EVM chain always has 18 decimals',
    },
    readCurrency,
  ),
  EXPLORER_URL: text(
    { description: 'Block explorer of the chain; default from CHAIN_ID', accepts: 'a URL (http or https)' },
    readExplorer,
  ),
}

interface Given {
  chainId: number
  currency: { symbol: string; name: string } | undefined
  explorerUrl: string | undefined
}

/** Whether the table of known chains has the chain. */
export const isKnownChain = (chainId: number): boolean => String(chainId) in knownChains

/** The chain as clients see it. An unknown chain is named by its id, and its coin is Ether unless it is given. */
export function describeChain({ chainId, currency, explorerUrl }: Given) {
  const known = isKnownChain(chainId) ? knownChains[String(chainId)] : undefined
  const { symbol, name } = currency ?? { symbol: known?.symbol ?? 'ETH', name: known?.coin ?? 'Ether' }
  return {
    chainName: known?.name ?? `Chain ${chainId}`,
    nativeCurrency: {
      name,
      symbol,
      decimals: NATIVE_DECIMALS,
      wrappedName: `Wrapped ${name}`,
      wrappedSymbol: `W${symbol}`,
    } satisfies NativeCurrency,
    explorerUrl: explorerUrl ?? known?.explorer ?? null,
  }
}
