import { BlockList, isIP } from 'node:net'

// IANA special-purpose registries: https://www.iana.org/assignments/iana-ipv4-special-registry, and the one for IPv6.
const reserved = new BlockList()
for (const range of [
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/4',
  '240.0.0.0/4',
]) {
  const [network, prefix] = range.split('/') as [string, string]
  reserved.addSubnet(network, Number(prefix), 'ipv4')
}
// IANA allocates only 2000::/3. Exclude its tunnel, documentation and translation prefixes.
const given = new BlockList()
given.addSubnet('2000::', 3, 'ipv6')
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '2620:4f:8000::/48', '3fff::/20']) {
  const [network, prefix] = range.split('/') as [string, string]
  reserved.addSubnet(network, Number(prefix), 'ipv6')
}

/** Whether an address is globally routable: not loopback, private, link-local or otherwise reserved. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !reserved.check(address, 'ipv4')
  return family === 6 && given.check(address, 'ipv6') && !reserved.check(address, 'ipv6')
}
