import type { FastifyReply } from 'fastify'
import t from 'tap'
import { toAddressKey } from '../../lib/http/address-key.ts'
import { addVary, matchesTag, tagEncoded, tagOf } from '../../lib/http/caching-headers.ts'
import { describePolicy, toQuotaHeaders } from '../../lib/rate-limit/headers.ts'

t.test('an entity tag is of the body, and of its encoding', async (t) => {
  t.match(tagOf('a'), /^"[\w-]{27}"$/)
  t.equal(tagOf('a'), tagOf(Buffer.from('a')))
  t.not(tagOf('a'), tagOf('b'))
  t.equal(tagEncoded('"abc"', 'gzip'), '"abc-gzip"')
})

t.test('If-None-Match may list tags, weak ones, or those of another encoding', async (t) => {
  for (const header of ['"a"', '*', ' * ', 'W/"a"', '"b", "a"', '"b","a-br"', '"a-gzip" , "c"'])
    t.ok(matchesTag(header, '"a"'), header)
  t.ok(matchesTag('"a"', '"a-br"'))
  for (const header of [undefined, '', '"b"', 'a', '"a-zip"', '"a', '**', '"A"'])
    t.notOk(matchesTag(header, '"a"'), String(header))
})

t.test('a name is added to Vary once', async (t) => {
  const vary = (present: string | string[] | undefined, name: string) => {
    const headers = new Map<string, unknown>([['vary', present]])
    const header = (key: string, value: unknown) => headers.set(key, value)
    addVary({ getHeader: (key: string) => headers.get(key), header } as unknown as FastifyReply, name)
    return headers.get('vary')
  }
  t.equal(vary(undefined, 'origin'), 'origin')
  t.equal(vary('origin', 'origin'), 'origin')
  t.equal(vary('accept', 'origin'), 'accept, origin')
  t.equal(vary('Origin, Accept', 'origin'), 'Origin, Accept')
  t.equal(vary('accept-encoding', 'accept'), 'accept-encoding, accept', 'a name within another is another')
  t.equal(vary('accept-encoding ,, x', 'accept'), 'accept-encoding, x, accept')
  t.strictSame(vary(['a', 'origin'], 'origin'), ['a', 'origin'])
  t.equal(vary(['a', 'b'], 'origin'), 'a, b, origin')
})

t.test('the quota headers describe each quota, and the tightest one for older clients', async (t) => {
  const quota = (name: string, limit: number, remaining: number, ttl: number) => ({
    ...{ name, limit, remaining, ttl, policy: describePolicy(name, { limit, windowSeconds: 60 }) },
  })
  t.strictSame(toQuotaHeaders([quota('global', 300, 212, 40_001)]), {
    ...{ 'ratelimit-policy': '"global";q=300;w=60', ratelimit: '"global";r=212;t=41' },
    ...{ 'ratelimit-limit': 300, 'ratelimit-remaining': 212, 'ratelimit-reset': 41 },
  })
  const [global, trade] = [quota('global', 300, 5, 40_000), quota('trade', 30, 5, 12_000)]
  t.strictSame(toQuotaHeaders([global, trade]), {
    ...{ 'ratelimit-policy': '"global";q=300;w=60, "trade";q=30;w=60' },
    ratelimit: '"global";r=5;t=40, "trade";r=5;t=12',
    ...{ 'ratelimit-limit': 300, 'ratelimit-remaining': 5, 'ratelimit-reset': 40 },
  })
  t.hasStrict(toQuotaHeaders([global, { ...trade, remaining: 4 }]), { 'ratelimit-limit': 30, 'ratelimit-reset': 12 })
})

t.test('a client is its IPv4 address, or the /64 prefix of its IPv6 address', async (t) => {
  const cases: [forwarded: string | undefined, peer: string | undefined, key: string][] = [
    ['1.2.3.4', '9.9.9.9', '1.2.3.4'],
    [' 1.2.3.4 ', undefined, '1.2.3.4'],
    ['1.2.3.4:5678', undefined, '1.2.3.4'],
    [undefined, '9.9.9.9', '9.9.9.9'],
    ['not an address', '9.9.9.9', '9.9.9.9'],
    ['', '9.9.9.9', '9.9.9.9'],
    [undefined, undefined, 'unknown'],
    ['x', 'y', 'unknown'],
    ['2001:db8:1:2:3:4:5:6', undefined, '2001:db8:1:2::/64'],
    ['2001:db8:1:2::', undefined, '2001:db8:1:2::/64'],
    ['[2001:DB8:1:2::7]:443', undefined, '2001:db8:1:2::/64'],
    ['[2001:db8:1:2::7]', undefined, '2001:db8:1:2::/64'],
    ['2001:db8::1', undefined, '2001:db8:0:0::/64'],
    ['::1', undefined, '0:0:0:0::/64'],
    ['fe80::1%eth0', undefined, 'fe80:0:0:0::/64'],
    ['::ffff:1.2.3.4', undefined, '1.2.3.4'],
    ['::ffff:102:304', undefined, '1.2.3.4'],
    ['::ffff:255.254.253.252', undefined, '255.254.253.252'],
    ['0:0:0:0:0:fffe:102:304', undefined, '0:0:0:0::/64'],
    ['1::ffff:1.2.3.4', undefined, '1:0:0:0::/64'],
    ['64:ff9b::1.2.3.4', undefined, '64:ff9b:0:0::/64'],
  ]
  for (const [forwarded, peer, key] of cases) t.equal(toAddressKey(forwarded, peer), key, `${forwarded} ${peer}`)
})
