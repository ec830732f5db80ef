import fc from 'fast-check'
import t from 'tap'
import { assembleTokenList } from '../../../routes/integrations/token-list/assemble-token-list.ts'
import { testConfig } from '../../support/app.ts'
import { findListProblems } from '../../support/feeds/token-list-schema.ts'
import { tokenAddress } from '../../support/market-simulation.ts'

t.test('invalid names are shortened, and images without a valid URI are omitted', async (t) => {
  const config = testConfig({ BRAND_NAME: 'Zoë’s “launch” – pad, with a name beyond all measure' })
  const row = (name: string, symbol: string, image_url: string | null) => ({
    address: tokenAddress(1),
    name,
    symbol,
    image_url,
    decimals: 18,
    hidden: false,
    since: 1,
    hides: 0,
    shows: 0,
    visibility_changed_at: null,
    image_changes: 0,
    image_changed_at: null,
  })
  const list = assembleTokenList(
    [
      row('a'.repeat(100), 'b'.repeat(100), 'https://a.example.org/x|y^z.webp'),
      row('😺'.repeat(61), '😺'.repeat(21), 'https://a.example.org/%zz'),
      row('two\u00a0\u3000 words\t\n', ' s p\u3000ace ', 'https://a.example.org/ä ö.webp'),
      row('', '', null),
    ],
    { include: 'all', part: 12 },
    config,
  )
  t.same(findListProblems(list), [])
  t.same(list?.keywords, ['launchpad'])
  const graduated = assembleTokenList([row('A', 'A', null)], { include: 'graduated', part: 1 }, config)
  t.same(graduated?.keywords, ['launchpad', 'graduated'])
  t.same(
    list?.tokens.map(({ name, symbol }) => [name, symbol]),
    [
      ['a'.repeat(60), 'b'.repeat(20)],
      ['😺'.repeat(60), '😺'.repeat(20)],
      ['two words', 'space'],
      ['', ''],
    ],
  )
  t.equal(list?.tokens[1]?.logoURI, undefined)
  t.equal(list?.tokens[2]?.logoURI, 'https://a.example.org/%C3%A4%20%C3%B6.webp')
})

t.test('any name, symbol and image results in a list that passes the published schema', async (t) => {
  const config = testConfig()
  const text = fc.string({ unit: 'binary', maxLength: 90 })
  fc.assert(
    fc.property(
      text,
      text,
      fc.option(
        fc.oneof(
          text,
          fc.webUrl(),
          text.map((path) => `https://a.example.org/${path}`),
        ),
      ),
      text,
      (name, symbol, image_url, brand) => {
        const row = {
          address: tokenAddress(1),
          name: name.toWellFormed(),
          symbol: symbol.toWellFormed(),
          image_url,
          decimals: 18,
          hidden: false,
          since: 1,
          hides: 0,
          shows: 0,
          visibility_changed_at: null,
          image_changes: 0,
          image_changed_at: null,
        }
        const list = assembleTokenList(
          [row],
          { include: 'all', part: 1 },
          { ...config, brand: { ...config.brand, name: brand } },
        )
        t.same(findListProblems(list), [])
      },
    ),
    { numRuns: 300 },
  )
})
