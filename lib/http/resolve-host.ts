import type { LookupAddress } from 'node:dns'
import { Resolver } from 'node:dns/promises'

/** Of one attempt at one name server, and of each kind of address. */
const ATTEMPT_MS = 2_000
const ATTEMPTS = 2

interface Options {
  /** Ends the queries. */
  signal: AbortSignal
  /** Name servers; without them, those of the system. */
  servers?: readonly string[]
}

/**
 * All addresses that DNS has for a host name that a user supplied. `dns.lookup()` would wait for silent name servers in one of the
 * few threads of libuv, whatever the signal, and so stop the lookups of all other hosts. Names of /etc/hosts are not found.
 */
export async function resolveHost(host: string, { signal, servers }: Options): Promise<LookupAddress[]> {
  signal.throwIfAborted()
  // One for each call: cancel() ends all queries of a resolver.
  const resolver = new Resolver({ timeout: ATTEMPT_MS, tries: ATTEMPTS })
  if (servers) resolver.setServers(servers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const [v4, v6] = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    if (v4.status === 'rejected' && v6.status === 'rejected') throw v4.reason
    const list = (result: typeof v4, family: number) =>
      result.status === 'fulfilled' ? result.value.map((address) => ({ address, family })) : []
    return [...list(v4, 4), ...list(v6, 6)]
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}
