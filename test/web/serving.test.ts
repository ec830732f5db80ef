import { createHash } from 'node:crypto'
import { readdir, readFile, stat } from 'node:fs/promises'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import t from 'tap'
import type { TokenRow } from '../../db/queries/tokens.ts'
import { renderTokenHead } from '../../features/web-client/page-head.ts'
import { createTestApp, testConfig } from '../support/app.ts'

/** Gzipped. */
const BUDGET_KB = 300
/** Of all files together, gzipped. */
const TOTAL_BUDGET_KB = 360
const DIST = new URL('../../web/dist/', import.meta.url)

await stat(new URL('index.html', DIST)).catch(() => {
  throw new Error('The web client is not built: npm run build:web')
})
const { app } = await createTestApp({ config: testConfig({ WEB: 'on' }) })
t.teardown(() => app.close())
const page = await app.inject('/app')
const [, script = ''] = /<script type="module"[^>]* src="([^"]+)"/.exec(page.body) ?? []

t.test('the root redirects to the client, or to the documentation without it', async (t) => {
  const root = await app.inject('/')
  t.same([root.statusCode, root.headers.location], [302, '/app'])
  const alone = await createTestApp({ config: testConfig({ WEB: 'off' }) })
  t.teardown(() => alone.app.close())
  t.equal((await alone.app.inject('/')).headers.location, '/docs')
  t.equal((await alone.app.inject('/app')).statusCode, 404)
})

t.test('every page below /app is the client, with a strict Content-Security-Policy', async (t) => {
  for (const path of ['/app', '/app/', '/app/launch', '/app/raises/7', `/app/token/0x${'a'.repeat(40)}`]) {
    const answer = await app.inject(path)
    t.equal(answer.statusCode, 200, path)
    t.match(answer.headers['content-type'], 'text/html')
    t.equal(answer.headers['cache-control'], 'no-cache')
    const policy = String(answer.headers['content-security-policy'])
    t.match(policy, /default-src 'none'.*script-src 'self'.*require-trusted-types-for 'script'/)
    t.notMatch(policy, /unsafe/)
  }
  const policy = String(page.headers['content-security-policy'])
  const inline = [...page.body.matchAll(/<(script|style)(?![^>]* src=)[^>]*>([\s\S]*?)<\/\1>/g)]
  t.equal(inline.length, 2, 'the theme, and the frame of the page')
  for (const [, kind, text = ''] of inline)
    t.match(policy, `${kind}-src 'self' 'sha256-${createHash('sha256').update(text).digest('base64')}';`)
  t.notMatch(page.body, /style=| on\w+=/, 'nothing else is inline')
  const again = await app.inject({ url: '/app', headers: { 'if-none-match': String(page.headers.etag) } })
  t.equal(again.statusCode, 304)
})

t.test('files have a hash in their name and are cached for a year', async (t) => {
  const plain = await app.inject(script)
  t.equal(plain.statusCode, 200)
  t.match(plain.headers['content-type'], 'text/javascript')
  t.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable')
  t.match(plain.headers['content-security-policy'], "connect-src 'self'", 'which a worker takes over')
  for (const [encoding, decode] of Object.entries({ br: brotliDecompressSync, gzip: gunzipSync })) {
    const answer = await app.inject({ url: script, headers: { 'accept-encoding': encoding } })
    t.equal(answer.headers['content-encoding'], encoding)
    t.match(answer.headers.vary, 'accept-encoding')
    t.not(answer.headers.etag, plain.headers.etag)
    t.same(decode(answer.rawPayload), plain.rawPayload)
  }
  const refused = await app.inject({ url: script, headers: { 'accept-encoding': 'br;q=0, gzip;q=0' } })
  t.equal(refused.headers['content-encoding'], undefined)
  const head = await app.inject({ url: script, method: 'HEAD' })
  t.same([head.statusCode, head.body], [200, ''])
  t.equal((await app.inject('/app/icon.svg')).headers['content-type'], 'image/svg+xml')
})

t.test('missing files, other methods and API routes respond with the JSON envelope', async (t) => {
  const accept = 'text/html'
  for (const [method, url, status] of [
    ['GET', '/app/assets/index-missing.js', 404],
    ['POST', '/app/launch', 405],
    ['POST', script, 405],
    ['GET', '/nothing', 404],
    ['GET', '/application', 404],
    ['GET', '/tokens?limit=0', 400],
    ['GET', '/config', 200],
    ['GET', '/api/config', 200],
  ] as const) {
    const answer = await app.inject({ method, url, headers: { accept } })
    t.equal(answer.statusCode, status, `${method} ${url}`)
    t.match(answer.headers['content-type'], 'application/json')
    t.equal(answer.json().success, status === 200)
  }
})

t.test('the head of a token page has preview tags, and escapes text of strangers', async (t) => {
  const row = {
    address: `0x${'ab'.repeat(20)}`,
    name: '"><script>alert(1)</script>',
    symbol: "<b>'&",
    description: `</title><img src=x onerror=alert(1)> ${'long '.repeat(100)}`,
    status: 'curve',
    progress: '47.6',
    // A thousand tokens at 0.01: a market cap of ten.
    ...{ virtual_quote: '1', virtual_token: '100', real_quote: '0', total_supply: '1000000000000000000000' },
    ...{ quote: null, native_usd: '3000' },
  } as unknown as TokenRow
  const head = renderTokenHead(row, { brand: { name: 'Slip & Way' }, publicUrl: 'https://launch.example' })
  t.notMatch(head, /<(?!\/?(title|meta)\b)/, 'no element but titles and metas')
  t.match(head, '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; (&lt;b&gt;&#39;&amp;) · Slip &amp; Way</title>')
  t.match(head, `<meta property="og:image" content="https://launch.example/og/token/${row.address}">`)
  t.match(head, '<meta name="twitter:card" content="summary_large_image">')
  const [, description = ''] = /og:description" content="([^"]*)"/.exec(head) ?? []
  t.match(description, /^Market cap \$30K · 47 % of the curve sold\. /)
  t.ok(description.replace(/&\w+;/g, '.').length <= 200)
})

t.test(`all files of the client together have less than ${TOTAL_BUDGET_KB} kB`, async (t) => {
  const files = (await readdir(DIST, { recursive: true })).filter((name) => name.endsWith('.gz'))
  const sizes = await Promise.all(files.map(async (name) => (await stat(new URL(name, DIST))).size))
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1_000
  t.ok(files.length > 20)
  t.ok(kilobytes < TOTAL_BUDGET_KB, `${Math.round(kilobytes)} kB`)
  t.comment(`${Math.round(kilobytes)} kB`)
})

t.test(`the market, a token page and its chart load less than ${BUDGET_KB} kB of JavaScript`, async (t) => {
  const folder = new URL('assets/', DIST)
  const names = await readdir(folder)
  const loaded = new Set<string>()
  const load = async (name: string): Promise<void> => {
    if (loaded.has(name)) return
    loaded.add(name)
    const source = await readFile(new URL(name, folder), 'utf8')
    const imports = [...source.matchAll(/\b(?:from|import)\s*"\.\/([\w-]+\.js)"/g)]
    await Promise.all(imports.map(([, imported]) => load(imported as string)))
  }
  const entries = [...page.body.matchAll(/\/app\/assets\/([\w-]+\.js)"/g)].map(([, name]) => name as string)
  const screens = names.filter((name) => /^(token-screen|price-chart|vault\.worker)-[\w-]+\.js$/.test(name))
  t.equal(screens.length, 3)
  await Promise.all([...entries, ...screens].map(load))
  const sizes = await Promise.all(
    [...loaded].map(async (name) => (await readFile(new URL(`${name}.gz`, folder))).length),
  )
  const kilobytes = sizes.reduce((sum, size) => sum + size, 0) / 1_000
  t.ok(loaded.size > 5)
  t.ok(kilobytes < BUDGET_KB, `${Math.round(kilobytes)} kB`)
  t.comment(`${Math.round(kilobytes)} kB`)
})
