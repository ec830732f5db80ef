import t from 'tap'
import { toChecksum, toCoins, toImageUri, toPrice, toSlug } from '../../records/integrations/format.ts'

t.test('amounts are whole coins, and addresses have their checksum', async (t) => {
  const address = '0x5aaeb6053f3e94c9b9a09f33669435e7ef1beaed'
  for (const time of ['first', 'second'])
    t.equal(toChecksum(address), '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed', `the ${time} time`)
  t.equal(toCoins('1500000000000000000'), '1.5')
  t.equal(toCoins(1_500_000n, 6), '1.5')
  t.equal(toCoins(0n), '0')
  t.equal(toCoins(1n), '0.000000000000000001')
})

t.test('a price is of a whole token, with 50 decimals at most', async (t) => {
  t.equal(toPrice(10n ** 18n, 4n * 10n ** 18n, { quote: 18, token: 18 }), '0.25')
  t.equal(toPrice('1000000000000000000', '4000000', { quote: 18, token: 6 }), '0.25')
  t.equal(toPrice('250000', 10n ** 18n, { quote: 6, token: 18 }), '0.25')
  t.equal(toPrice(1n, 3n, { quote: 18, token: 18 }), `0.${'3'.repeat(50)}`)
  t.equal(toPrice(1n, 10n ** 50n, { quote: 18, token: 18 }), `0.${'0'.repeat(49)}1`)
  for (const [quote, token] of [
    [1n, 10n ** 51n],
    [0n, 5n],
    [5n, 0n],
    [5n, -1n],
  ] as const)
    t.equal(toPrice(quote, token, { quote: 18, token: 18 }), null, `${quote} / ${token}`)
})

t.test('an image has an absolute URL that is a URI', async (t) => {
  const cases: [url: string | null, uri: string | null][] = [
    [null, null],
    ['/uploads/a.webp', 'https://launch.example/uploads/a.webp'],
    ['https://a.example/b c', 'https://a.example/b%20c'],
    ['ipfs://bafy/cat.png', 'ipfs://bafy/cat.png'],
    ['a.png', null],
    ['', null],
    ['data:image/png;base64,AA==', null],
    ['https://a.example/?a=[b]', null],
  ]
  for (const [url, uri] of cases) {
    t.equal(toImageUri(url, 'https://launch.example/'), uri, String(url))
    t.equal(toImageUri(url, 'https://launch.example'), uri, String(url))
  }
})

t.test('the name of the service is an identifier', async (t) => {
  const cases: [name: string, slug: string][] = [
    ['Slipway', 'slipway'],
    [' The  Slip-Way! ', 'the-slip-way'],
    ['Über Märkte', 'u-ber-ma-rkte'],
    ['Ⅳ No. 5', 'iv-no-5'],
    ['東京', 'launchpad'],
    ['', 'launchpad'],
  ]
  for (const [name, slug] of cases) t.equal(toSlug(name), slug, name)
})
