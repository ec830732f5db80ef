import { type Channel, parameters } from '../../schemas/live.ts'

/** Canonical name of a channel; for a private channel, the only wallet that may subscribe. */
export interface ChannelRead {
  name: string
  wallet: string | null
}

export type ReadChannel = (given: string) => ChannelRead | undefined

/**
 * Parses a channel name from a client; undefined if it is unknown. Any address is valid, without a query: clients may
 * subscribe to a token before it is indexed.
 */
export function createChannelReader(channels: Record<string, Channel>): ReadChannel {
  // A Map, because the key is client input.
  const known = new Map(
    Object.entries(channels).map(([kind, { parameter, isPrivate = false }]) => [
      kind,
      { pattern: parameter && new RegExp(`^${parameters[parameter]}$`, 'i'), isPrivate },
    ]),
  )
  return (given) => {
    const [kind = '', ...rest] = given.split(':')
    const channel = known.get(kind)
    if (!channel) return undefined
    if (!channel.pattern) return rest.length === 0 ? { name: kind, wallet: null } : undefined
    const parameter = rest.join(':').toLowerCase()
    if (!channel.pattern.test(parameter)) return undefined
    return { name: `${kind}:${parameter}`, wallet: channel.isPrivate ? parameter : null }
  }
}
