import { isIPv4, isIPv6 } from 'node:net'

/**
 * The address by which a client is counted: an IPv4 address whole, of an IPv6 address its first 64 bits, which is the
 * least that one household is given. `forwarded` is what proxies say, and some say it with a port, which a client could
 * choose anew for each request. What is no address at all is put down to `peer`, who sent it.
 */
export function toAddressKey(forwarded: string | undefined, peer: string | undefined): string {
  return readAddress(forwarded) ?? readAddress(peer) ?? 'unknown'
}

function readAddress(text: string | undefined): string | undefined {
  const bare = text?.trim().replace(/^\[(.*)\](?::\d+)?$/, '$1') ?? ''
  const address = (isIPv6(bare) ? bare : bare.replace(/:\d+$/, '')).replace(/%.*$/, '')
  if (isIPv4(address)) return address
  if (!isIPv6(address)) return undefined
  const groups = expand(address)
  // An IPv4 client of a server that listens on both.
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped) return [groups[6], groups[7]].flatMap((group = 0) => [group >> 8, group & 255]).join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight groups of an IPv6 address in any of its spellings. */
function expand(address: string): number[] {
  const hexadecimal = address.replace(/\d+\.\d+\.\d+\.\d+$/, (quad) => {
    const [a = 0, b = 0, c = 0, d = 0] = quad.split('.').map(Number)
    return `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  })
  const [head = [], tail = []] = hexadecimal.split('::').map((part) => part.split(':').filter(Boolean))
  const zeros = Array<string>(8 - head.length - tail.length).fill('0')
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16))
}
