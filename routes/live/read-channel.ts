import { type Channel, parameters } from '../../schemas/live.ts'

/** A channel by its canonical name, and the wallet that alone may subscribe to it. */
export interface ChannelRead {
  name: string
  wallet: string | null
}

export type ReadChannel = (given: string) => ChannelRead | undefined

/**
 * Reads the name of a channel that a client sent; undefined if there is none of that name. Any address is a channel: a client
 * may subscribe to a token before the token is indexed, and a query for every subscription would help nobody.
 */
export function createChannelReader(channels: Record<string, Channel>): ReadChannel {
  // A Map, because a name is the caller's word.
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
