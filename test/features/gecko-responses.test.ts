import t from 'tap'
import { toMarket } from '../../features/external-markets/gecko-responses.ts'

const [TOKEN, OTHER] = [`0x${'a'.repeat(40)}`, `0x${'b'.repeat(40)}`]
const attributes = { address: TOKEN.toUpperCase().replace('0X', '0x') }
const pool = (id: string, more: { relationships?: object } & Record<string, unknown> = {}) => {
  const { relationships = {}, ...fields } = more
  return { id, type: 'pool', attributes: { address: `0x${id.repeat(40)}`, ...fields }, relationships }
}
const ofToken = (side: string, address: string) => ({ [side]: { data: { id: `eth_${address}` } } })
/** The market of a response with these attributes, and pools in the order of `top`. */
const market = (fields: object = {}, included: object[] = [], top: string[] = []) =>
  toMarket(
    {
      data: {
        attributes: { ...attributes, ...fields },
        relationships: { top_pools: { data: top.map((id) => ({ id })) } },
      },
      included,
    },
    TOKEN,
  )

t.test('figures that the provider does not have are null', async (t) => {
  t.strictSame(toMarket({ data: { attributes } }, TOKEN), {
    ...{ address: TOKEN, name: null, symbol: null, decimals: null, totalSupply: null, imageUrl: null },
    ...{ priceUsd: null, marketCapUsd: null, fdvUsd: null, liquidityUsd: null, volumeUsd24h: null },
    ...{ priceChangePct: { m5: null, h1: null, h24: null }, pools: [] },
  })
  t.hasStrict(market({ decimals: 0, price_usd: '0', volume_usd: { h24: '1e3' }, market_cap_usd: null }), {
    ...{ decimals: 0, priceUsd: 0, volumeUsd24h: 1_000, marketCapUsd: null },
  })
  t.throws(() => market({ fdv_usd: '1e999' }), { message: 'a figure without end' })
  t.throws(() => market({ address: OTHER }), { message: 'another token' })
})

t.test('the supply is in base units, without decimals', async (t) => {
  const supply = (text: string) => market({ total_supply: text }).totalSupply
  t.equal(supply('1000'), '1000')
  t.equal(supply('1000.000'), '1000')
  t.equal(supply('1000.5'), null)
  t.equal(supply('1e30'), null)
  t.equal(supply('1'.repeat(78)), '1'.repeat(78))
  t.equal(supply('1'.repeat(79)), null)
})

t.test('names are one line, and images have a URL', async (t) => {
  t.equal(market({ name: ' A\n\u202eB ' }).name, 'AB')
  t.equal(market({ symbol: '\u200b' }).symbol, null)
  t.equal(market({ name: '\u{1f431}'.repeat(129) }).name, '\u{1f431}'.repeat(128))
  const image = (url: string) => market({ image_url: url }).imageUrl
  t.equal(image('https://a.example/b.png'), 'https://a.example/b.png')
  for (const url of ['missing.png', '', 'http://a.example/b.png', `https://a.example/${'b'.repeat(2_048)}`])
    t.equal(image(url), null, url.slice(0, 40))
})

t.test('pools are in the order of the provider, ten at most', async (t) => {
  const ids = ['1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c']
  const included = [...ids.map((id) => pool(id)), { type: 'token', id: 'd' }]
  const found = (top: string[]) => market({}, included, top).pools.map(({ address }) => address[2])
  t.strictSame(found(['3', '1', 'unknown', '2']), ['3', '1', '2'])
  t.strictSame(found(ids), ids.slice(0, 10))
  t.throws(() => market({}, [{ type: 'pool', id: 'x' }]), { name: 'InvalidResponseError' })
})

t.test('a pool has its tokens, its exchange and its age', async (t) => {
  const relationships = {
    ...ofToken('base_token', OTHER.toUpperCase()),
    ...ofToken('quote_token', TOKEN),
    dex: { data: { id: 'uniswap' } },
  }
  const fields = {
    name: 'A / B',
    reserve_in_usd: '5',
    volume_usd: { h24: '6' },
    pool_created_at: '2026-01-02T03:04:05Z',
  }
  t.strictSame(market({}, [pool('1', { ...fields, relationships })], ['1']).pools, [
    {
      ...{ address: `0x${'1'.repeat(40)}`, dex: 'uniswap', name: 'A / B', baseToken: OTHER, quoteToken: TOKEN },
      ...{ liquidityUsd: 5, volumeUsd24h: 6, createdAt: '2026-01-02T03:04:05.000Z' },
    },
  ])
  t.hasStrict(market({}, [pool('1', { pool_created_at: 'lately' })], ['1']).pools, [
    { dex: null, name: null, baseToken: null, quoteToken: null, createdAt: null },
  ])
})

t.test('price changes are those of the first pool, if it is priced by the token', async (t) => {
  const changes = (base: string) => {
    const price_change_percentage = { m5: '1', h1: '-2', h24: '0' }
    const first = pool('1', { price_change_percentage, relationships: ofToken('base_token', base) })
    return market({}, [first], ['1']).priceChangePct
  }
  t.strictSame(changes(TOKEN), { m5: 1, h1: -2, h24: 0 })
  t.strictSame(changes(OTHER), { m5: null, h1: null, h24: null })
})
