import t from 'tap'
import { readDocument } from '../../features/token-metadata/read-document.ts'
import { readUri, type UriReader } from '../../features/token-metadata/read-uri.ts'
import { createStorage } from '../../lib/storage/create-storage.ts'

const NOTHING = { description: null, website: null, twitter: null, telegram: null, discord: null, image: null }
const read = (document: unknown) => readDocument(Buffer.from(JSON.stringify(document)))

t.test('a document has the description, links and image of a token', async (t) => {
  const description = 'The cat.\n\tAsleep, as \u{1f431} are.'
  const image = 'ipfs://bafy/cat.png'
  const website = 'https://hcat.example.org/a?b'
  const communities = {
    twitter: 'https://x.com/hcat',
    telegram: 'https://t.me/hcat',
    discord: 'https://discord.gg/hcat',
  }
  t.same(read({ description, external_link: website, ...communities, image }), {
    ...{ description, website, image },
    ...communities,
  })
  t.same(read({ website }), { ...NOTHING, website })
})

t.test('content that is not JSON is the image itself', async (t) => {
  const image = Buffer.from([0x89, 0x50, 0x4e, 0x47])
  t.same(readDocument(image), { ...NOTHING, image })
})

t.test('a description is cleaned and truncated', async (t) => {
  const taken = (description: unknown) => read({ description }).description
  t.equal(taken(' a\u0000b\u202ec\u2066d\r\ne\rf\u0085 '), 'abcd\ne\nf')
  t.equal(taken('\ud800'), '\ufffd')
  t.equal(taken('x'.repeat(1000)), 'x'.repeat(1000))
  t.equal(taken('x'.repeat(1001)), `${'x'.repeat(999)}…`)
  t.equal(taken('\u{1f431}'.repeat(501)), `${'\u{1f431}'.repeat(499)}…`)
  for (const nothing of ['', '  ', '\u0007', null, 5, {}, ['a'], undefined]) t.equal(taken(nothing), null)
})

t.test('an invalid link or image does not invalidate the rest', async (t) => {
  for (const odd of ['javascript:alert(1)', 'http://a.example', 'https://a@b.example', '', 5, null, {}])
    t.same(read({ description: 'a', external_link: odd, twitter: odd, telegram: odd, discord: odd }), {
      ...NOTHING,
      description: 'a',
    })
  for (const image of ['', 5, null, {}, undefined]) t.equal(read({ image }).image, null)
})

t.test('a byte order mark before a document is skipped', async (t) => {
  const json = '{"description":"x"}'
  for (const before of ['\ufeff', '\ufeff\r\n ', ' \ufeff'])
    t.equal(readDocument(Buffer.from(`${before}${json}`)).description, 'x', JSON.stringify(before))
})

t.test('every spelling of a data: URI has its document', async (t) => {
  const reader = { settings: { fetchMetadata: 'inline', ipfsGateway: '', publicUrl: '' } } as unknown as UriReader
  const bounds = { maxBytes: 100_000, signal: AbortSignal.timeout(60_000) }
  for (const mark of ['', '\ufeff']) {
    const json = `${mark}{"description":"é%"}`
    const base64 = Buffer.from(json).toString('base64')
    const escaped = encodeURIComponent(json)
    for (const uri of [
      `data:application/json;base64,${base64}`,
      `DATA:Application/JSON;charset=UTF-8;BASE64,${base64}`,
      `data:application/json;charset=utf-8;base64,${encodeURIComponent(base64)}`,
      `data:application/json;charset="utf-8" ; base64 ,${base64}`,
      `data:;base64,${base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`,
      `data:application/json,${escaped}`,
      `data:application/json;utf8,${json}`,
      `data:application/json;charset=utf-8,${escaped.toLowerCase().replace('%7bdescription', '%7Bdescription')}`,
      ` data:,${escaped}`,
    ])
      t.equal(readDocument(await readUri(reader, uri, bounds)).description, 'é%', uri)
  }
})

t.test('a data: URI has at most the accepted number of bytes, in every spelling', async (t) => {
  const reader = { settings: { fetchMetadata: 'inline', ipfsGateway: '', publicUrl: '' } } as unknown as UriReader
  const maxBytes = 300
  const open = (uri: string) => readUri(reader, uri, { maxBytes, signal: AbortSignal.timeout(60_000) })
  const spellings: Record<string, (bytes: number) => string> = {
    plain: (bytes) => `data:,${'x'.repeat(bytes)}`,
    escaped: (bytes) => `data:application/json;charset=utf-8,${'%78'.repeat(bytes)}`,
    base64: (bytes) => `data:;base64,${Buffer.alloc(bytes).toString('base64')}`,
    'two bytes a character': (bytes) => `data:,${'é'.repeat(bytes / 2)}`,
  }
  for (const [name, spell] of Object.entries(spellings)) {
    t.equal((await open(spell(maxBytes))).length, maxBytes, name)
    await t.rejects(open(spell(maxBytes + 2)), { message: 'Too much in a data: URI' }, name)
  }
  const long = (characters: number) => `data:;${'p'.repeat(characters - 7)},`
  t.equal((await open(long(maxBytes * 3 + 200))).length, 0)
  await t.rejects(open(long(maxBytes * 3 + 201)), { message: 'Not a data: URI of a fitting size' })
  await t.rejects(open('data:text/plain'), { message: 'Not a data: URI of a fitting size' })
})

t.test('an upload of this service is read from the storage, up to the accepted number of bytes', async (t) => {
  const storage = createStorage({ s3: null, dataDir: t.testdir({}) })
  t.teardown(() => storage.close())
  const publicUrl = 'https://launch.example'
  const settings = { fetchMetadata: 'off', ipfsGateway: '', publicUrl } as const
  const fetch = () => Promise.reject(new Error('Nothing is fetched'))
  const open = (name: string) =>
    readUri({ settings, storage, fetch }, `${publicUrl}/uploads/${name}`, {
      ...{ maxBytes: 300, signal: AbortSignal.timeout(60_000) },
    })
  const [fitting, large, absent] = ['a', 'b', 'c'].map((digit) => `${digit.repeat(64)}.json`) as [
    string,
    string,
    string,
  ]
  await storage.put(fitting, Buffer.alloc(300), 'application/json')
  await storage.put(large, Buffer.alloc(301), 'application/json')
  t.equal((await open(fitting)).length, 300)
  for (const name of [large, absent]) await t.rejects(open(name), { message: 'No such upload' })
  await t.rejects(open('card.png'), { message: 'Nothing is fetched here' }, 'not the name of an upload')
})

t.test('malformed JSON is rejected', async (t) => {
  t.throws(() => readDocument(Buffer.from('{"description":')), { name: 'SyntaxError' })
  t.throws(() => read({ description: 'x'.repeat(256 * 1024) }), { message: 'The document is too large' })
})
