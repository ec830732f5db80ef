import type { IndexedContracts } from './module.ts'

/** An id of 32 bytes; an address has 20. */
const isId = (known: string): boolean => known.length === 66

/** What configured contracts have created: contracts, by address, and what singletons hold, by id. */
export class KnownContracts {
  readonly addresses = new Set<string>()
  readonly ids = new Set<string>()

  add(known: string): void {
    const own = isId(known) ? this.ids : this.addresses
    own.add(known)
  }

  has(known: string): boolean {
    return this.addresses.has(known) || this.ids.has(known)
  }
}

/** Addresses and ids apart. */
export const splitKnown = (known: readonly string[]) => ({
  addresses: known.filter((one) => !isId(one)),
  ids: known.filter(isId),
})

/** The configured contracts, and those of them that are singletons, apart. */
export function splitConfigured({ modules, addresses }: IndexedContracts): { plain: string[]; singletons: string[] } {
  const [plain, singletons]: [string[], string[]] = [[], []]
  for (const module of modules)
    for (const [address, kind] of addresses.get(module.name) ?? []) {
      const own = module.singletons?.deployments.includes(kind) ? singletons : plain
      own.push(address)
    }
  return { plain, singletons }
}
