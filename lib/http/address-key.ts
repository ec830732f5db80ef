import { isIPv4, isIPv6 } from 'node:net'

/**
 * Rate-limit key of a client: its IPv4 address, or the /64 prefix of its IPv6 address, the smallest usual allocation.
 * `forwarded` comes from proxies; a port is dropped, since a client can vary it. Falls back to `peer` if it is invalid.
 */
export function toAddressKey(forwarded: string | undefined, peer: string | undefined): string {
  return readAddress(forwarded) ?? readAddress(peer) ?? 'unknown'
}

function readAddress(text: string | undefined): string | undefined {
  // Most addresses are this; the expressions below take longer.
  if (text !== undefined && isIPv4(text)) return text
  const bare = text?.trim().replace(/^\[(.*)\](?::\d+)?$/, '$1') ?? ''
  const address = (isIPv6(bare) ? bare : bare.replace(/:\d+$/, '')).replace(/%.*$/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const groups = expand(address)
  // IPv4-mapped IPv6 address, from a dual-stack listener.
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [groups[6], groups[7]].flatMap((group = 0) => [group >> 8, group & 255]).join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight 16-bit groups of an IPv6 address in any notation. */
function expand(address: string): number[] {
  const hexadecimal = address.replace(/\d+\.\d+\.\d+\.\d+$/, (quad) => {
    const [a = 0, b = 0, c = 0, d = 0] = quad.split('.').map(Number)
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = [], tail = []] = hexadecimal.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}
