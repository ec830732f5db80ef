import { createRequire } from 'node:module'
import type { Chain } from 'viem'
import * as definitions from 'viem/chains'

// Node cannot load the package's ES modules: their imports have no file extensions.
const uniswap: typeof import('@uniswap/sdk-core') = createRequire(import.meta.url)('@uniswap/sdk-core')
const { V2_FACTORY_ADDRESSES, V2_ROUTER_ADDRESSES, WETH9 } = uniswap

/** Other decimals are left out: amounts of the native coin have 18 in the EVM, whatever a wallet shows. */
const DECIMALS = 18

/** Several definitions may have one id, such as local chains: the first that is not a test network counts. */
function listChains(): Chain[] {
  const all = (Object.values(definitions) as Chain[]).filter((chain) => chain.nativeCurrency?.decimals === DECIMALS)
  const ordered = all.toSorted((a, b) => a.id - b.id || Number(a.testnet ?? false) - Number(b.testnet ?? false))
  return [...new Map(ordered.toReversed().map((chain) => [chain.id, chain])).values()].toReversed()
}

function describe({ name, nativeCurrency, blockExplorers }: Chain) {
  const explorer = blockExplorers?.default.url.replace(/\/+$/, '')
  return { name, coin: nativeCurrency.name, symbol: nativeCurrency.symbol, ...(explorer && { explorer }) }
}

const known = (addresses: Readonly<Record<number, string>>, id: number) => addresses[id]?.toLowerCase()

/** Chains where both contracts are known; the wrapped coin may be missing. */
function listUniswap(): [number, object][] {
  const ids = Object.keys(V2_FACTORY_ADDRESSES)
    .map(Number)
    .sort((a, b) => a - b)
  return ids.flatMap((id): [number, object][] => {
    const [factory, router] = [known(V2_FACTORY_ADDRESSES, id), known(V2_ROUTER_ADDRESSES, id)]
    const wrapped = WETH9[id as keyof typeof WETH9]?.address.toLowerCase()
    return factory && router ? [[id, { factory, router, ...(wrapped && { wrapped }) }]] : []
  })
}

/** One entry a line, so that a change of one chain is a change of one line. */
const print = (entries: readonly (readonly [number, object])[]) =>
  `{\n${entries.map(([id, entry]) => `  "${id}": ${JSON.stringify(entry)}`).join(',\n')}\n}\n`

/** The tables of known chains, by path: coins and explorers from viem, Uniswap V2 contracts from @uniswap/sdk-core. */
export const describeChains = (): Record<string, string> => ({
  'config/chains.json': print(listChains().map((chain) => [chain.id, describe(chain)])),
  'contracts/uniswap-v2.json': print(listUniswap()),
})
