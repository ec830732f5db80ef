import sharp from 'sharp'
import t from 'tap'
import type { CardJob, ProfitCard, TokenCard } from '../../features/link-previews/card.ts'
import { createCards } from '../../features/link-previews/index.ts'
import { renderCard } from '../../features/link-previews/render.ts'
import { fitText } from '../../features/link-previews/text.ts'
import { createMemoryCache } from '../../lib/cache/cache-memory.ts'
import { looksLikeSvg } from '../../lib/images/image-limits.ts'
import { rasterizeSvg } from '../../lib/images/rasterize-svg.ts'
import { makeCardJob, profitCard } from '../support/card-job.ts'

const { brand } = makeCardJob()

const drawAnew = async (change?: Partial<TokenCard>) => Buffer.from(await renderCard(makeCardJob(change)))
const drawn = new Map<string, Promise<Buffer>>()
/** Draws equal cards once. */
const draw = (change: Partial<TokenCard> = {}): Promise<Buffer> => {
  const key = JSON.stringify(change)
  const buffer = drawn.get(key) ?? drawAnew(change)
  drawn.set(key, buffer)
  return buffer
}

/** Rows of the name's area, from the top, in which two cards differ. */
async function compareRows(one: Partial<TokenCard>, other: Partial<TokenCard>): Promise<number[]> {
  const area = { left: 216, top: 40, width: 984, height: 170 }
  const read = async (change: Partial<TokenCard>) =>
    sharp(await draw(change))
      .extract(area)
      .raw()
      .toBuffer()
  const [a, b] = await Promise.all([read(one), read(other)])
  const size = a.length / area.height
  const row = (image: Buffer, at: number) => image.subarray(at * size, (at + 1) * size)
  return Array.from({ length: area.height }, (_, at) => at).filter((at) => !row(a, at).equals(row(b, at)))
}

t.test('a card is a PNG of the requested size, equal each time', async (t) => {
  t.match(await sharp(await draw()).metadata(), { format: 'png', width: 1200, height: 630 })
  t.match(await sharp(await renderCard({ ...makeCardJob(), ratio: '3:2' })).metadata(), { width: 1200, height: 800 })
  t.ok((await drawAnew()).equals(await drawAnew()))
})

t.test('a change of any value changes the image', async (t) => {
  const plain = await draw()
  const changes: Partial<TokenCard>[] = [
    { name: 'Harbour Bat' },
    { symbol: 'HBAT' },
    { status: 'completed' },
    { status: 'graduated' },
    { progress: 63 },
    { price: '$0.0₆709' },
    { marketCap: '$7.10K' },
    { marketCap: null },
    { change: '+89.07%' },
    { direction: 'down' },
    { direction: 'flat' },
    { sparkline: [0, 30, 20, 70, 100] },
    { address: '0x1fe46736679d2d9a65f0992f2272de9f3c7fa6e0' },
  ]
  for (const change of changes) t.notOk((await draw(change)).equals(plain), JSON.stringify(change))
  const image = new Uint8Array(
    await sharp({ create: { width: 8, height: 8, channels: 3, background: '#f00' } })
      .png()
      .toBuffer(),
  )
  t.notOk(Buffer.from(await renderCard({ ...makeCardJob(), image })).equals(plain))
})

t.test('a change of any value changes the image of a profit', async (t) => {
  const drawProfit = async (change: Partial<ProfitCard> = {}) =>
    Buffer.from(await renderCard({ ...makeCardJob(), card: { ...profitCard, ...change } }))
  const plain = await drawProfit()
  t.match(await sharp(plain).metadata(), { format: 'png', width: 1200, height: 630 })
  const changes: Partial<ProfitCard>[] = [
    { name: 'Harbour Bat' },
    { trader: 'captian' },
    { unit: 'USD₮0' },
    { profit: '+0.0709' },
    { profit: '−0.0₅709' },
    { change: null },
    { direction: 'down' },
    { bought: '0.0₅326' },
    { sold: '0' },
    { held: '1,234,567.89' },
    { lifecycle: 'direct', status: 'graduated' },
  ]
  for (const change of changes) t.notOk((await drawProfit(change)).equals(plain), JSON.stringify(change))
  t.notOk((await drawProfit({ bought: '0.0326' })).equals(await drawProfit({ bought: '0.0₅326' })), 'zeros stay')
})

/** Mongolian, for which there is no font. */
const unknown = 'ᠮᠣᠩᠭᠣᠯ'

t.test('characters without a glyph are omitted', async (t) => {
  const symbolOnly = await draw({ name: 'HCAT' })
  t.ok((await draw({ name: unknown })).equals(symbolOnly), 'a script without a font gives way to the symbol')
  t.ok((await draw({ name: '\u{10ffff}\u{e000}' })).equals(symbolOnly), 'and so does what is no character')
  t.ok((await draw({ name: `Cat ${unknown}` })).equals(await draw({ name: 'Cat' })))
  t.ok((await draw({ name: 'Z\u0338\u0322\u0327al' })).equals(await draw({ name: 'Zal' })), 'marks without a glyph go')
})

t.test('the address is shown at most once, and replaces a symbol that is shown already', async (t) => {
  const short = '0x9fe4…a6e0'
  t.ok((await draw({ name: unknown, symbol: unknown })).equals(await draw({ name: short, symbol: short })))
  t.same(await compareRows({ symbol: unknown }, { symbol: short }), [], 'the address replaces the symbol')
  t.ok((await draw({ name: 'HCAT', symbol: unknown })).equals(await draw({ name: 'HCAT', symbol: 'HCAT' })))
})

for (const name of [
  'Ελληνικά ἀρχή',
  'Дракон Ґанок ҚАЗАҚ',
  'Łódź Việt İstanbul',
  '東京タワー',
  '龍年發財 电子货币',
  '서울 호랑이',
  '🚀🐱👨‍👩‍👧🇰🇷👍🏽1️⃣☀️',
  '★♥▲→✓',
  'قط المدينة ٢٠٢٦',
  'חתול הנמל',
  'แมวน้ำผึ้ง',
  'बंदरगाह की बिल्ली',
]) {
  t.test(`every character of ${name} is drawn`, async (t) => {
    const whole = await draw({ name })
    for (const { segment } of new Intl.Segmenter().segment(name)) {
      if (segment !== ' ') t.notOk((await draw({ name: name.replace(segment, '') })).equals(whole), segment)
    }
  })
}

t.test('Arabic letters join, and have their dots above', async (t) => {
  t.notOk((await draw({ name: 'بب' })).equals(await draw({ name: 'ب\u200cب' })), 'a non-joiner separates them')
  // Initial qaf with two dots, and the same letter without.
  const [qaf, dotless] = ['قـ', 'ٯـ']
  const dots = await compareRows({ name: qaf }, { name: dotless })
  const letter = await compareRows({ name: dotless }, { name: 'ـ' })
  t.ok(dots.length > 5, 'there are dots')
  t.ok(Math.max(...dots) < Math.min(...letter) + 3, 'satori 0.63 needs flipVerticalOffsets')
})

t.test('Devanagari letters form conjuncts, and Thai tone marks stand above the vowel', async (t) => {
  t.notOk((await draw({ name: 'क्ष' })).equals(await draw({ name: 'क्\u200cष' })))
  const tone = await compareRows({ name: 'ที่' }, { name: 'ที' })
  const vowel = await compareRows({ name: 'ที' }, { name: 'ท' })
  t.ok(Math.max(...tone) < Math.max(...vowel) && Math.min(...tone) < Math.min(...vowel))
  t.equal(fitText('น้ำ', 36), 'น้ำ', 'a vowel with a circle stays in one piece, below the tone mark')
})

t.test('right-to-left names begin at the right', async (t) => {
  const edge = async (name: string) =>
    sharp(await draw({ name }))
      .extract({ left: 216, top: 40, width: 40, height: 80 })
      .raw()
      .toBuffer()
  t.ok((await edge('לא')).equals(await edge('א')), 'the last letter is leftmost')
  t.notOk((await edge('אל')).equals(await edge('א')))
})

t.test('a long name takes two lines, and an ellipsis if they do not hold it', async (t) => {
  const long = 'The Extraordinarily Long Harbour Cat of the Northern Seas'
  t.notOk((await draw({ name: `${long}!` })).equals(await draw({ name: long })), 'its end is drawn')
  const wide = 'W'.repeat(60)
  t.ok((await draw({ name: `${wide}A` })).equals(await draw({ name: `${wide}B` })), 'what follows two lines is not')
})

t.test('a name stays within the margin, even with wide letters', async (t) => {
  const margin = async (name: string) =>
    sharp(await draw({ name: fitText(name, 64) }))
      .extract({ left: 1137, top: 40, width: 63, height: 130 })
      .raw()
      .toBuffer()
  const clear = await margin('Harbour Cat')
  for (const wide of [
    'W',
    'w',
    'm',
    'Ŵ',
    'Æ',
    'œ',
    'Ж',
    'щ',
    'Ω',
    '%',
    '—',
    '0',
    '+',
    '猫',
    '🐱',
    'WoW Mom ',
    'ض',
    'क्ष',
    'ฒ',
    '\ufdfd',
    '⸻',
    'ﷺ',
  ])
    for (const count of [20, 64]) t.ok((await margin(wide.repeat(count))).equals(clear), `${wide} ${count} times`)
})

t.test('untrusted text is reduced to one line of bounded length', async (t) => {
  t.equal(fitText('  Harbour \n\t Cat ', 36), 'Harbour Cat')
  t.equal(fitText('a'.repeat(36), 36), 'a'.repeat(36))
  t.equal(fitText('a'.repeat(37), 36), `${'a'.repeat(35)}…`)
  t.equal(fitText('👨‍👩‍👧'.repeat(5), 6), '👨‍👩‍👧👨‍👩‍👧…', 'cut between graphemes')
  t.equal(fitText('猫'.repeat(18), 36), '猫'.repeat(18))
  t.equal(fitText('猫'.repeat(19), 36), `${'猫'.repeat(17)}…`, 'wide ones count twice')
  t.equal(fitText(`a${'\u200b'.repeat(399)}`, 36), 'a', 'as many characters as are read')
  t.equal(fitText(`a${'\u200b'.repeat(400)}`, 36), 'a…', 'one more')
  t.equal(fitText('𝓕𝓪𝓷𝓬𝔂 Ｗｉｄｅ', 36), 'Fancy Wide')
  t.equal(fitText('\u202Egnp.exe\u202C\u200b\u0000', 36), 'gnp.exe')
  t.equal(fitText('a\u200cb نمی\u200cخواهم', 36), 'ab نمی\u200cخواهم', 'a non-joiner stays where letters join')
  t.equal(fitText(`Z${'\u0338'.repeat(50)}`, 36).length, 4)
  t.equal(fitText('\ud800bad', 36), 'bad')
  t.equal(fitText('\u2800\u3164\uffa0', 36), '', 'symbols that show nothing')
})

t.test('a name of megabytes takes no longer than a short one', async (t) => {
  const start = performance.now()
  const name = fitText('🧨x\u0301'.repeat(1_000_000), 36)
  // Segmenting all of it takes tens of seconds.
  t.ok(performance.now() - start < 5_000)
  t.match(await sharp(await draw({ name })).metadata(), { width: 1200 })
})

const svg = (inner: string) => Buffer.from(`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 8 4">${inner}</svg>`)

t.test('a plain SVG is rasterized, any other is rejected', async (t) => {
  const png = rasterizeSvg(svg('<path d="M0 0h8v4z" fill="#f00"/>'))
  t.match(await sharp(png).metadata(), { format: 'png', width: 512, height: 256 })
  for (const inner of [
    '<image href="/etc/passwd"/>',
    '<use href="#a"/>',
    '<style>@import "a"</style>',
    '<filter id="a"/>',
    '<foreignObject/>',
    '<!--a',
    '<!-- a -- b -->',
    '<!-- <g> --></g>',
    '<path fill="url(&#35;a)"/>',
    '<rect width="&#49;&#48;"/>',
    '<metadata><g></metadata>',
    '<title>&nbsp;</title>',
    '<script>1</script>',
    '<metadata><a/></metadata><a/>',
    '<g filter="url(#a)"/>',
    '<text>a</text>',
    '<path stroke-dasharray="0.001"/>',
    '&a;',
  ])
    t.throws(() => rasterizeSvg(svg(inner)), inner)
  t.throws(() => rasterizeSvg(Buffer.from('<!DOCTYPE svg [<!ENTITY a "b">]><svg/>')), {
    message: 'Not a plain drawing: <',
  })
  t.throws(() => rasterizeSvg(Buffer.from('<!DOCTYPE svg SYSTEM "a" [<!ENTITY a "b">]><svg viewBox="0 0 1 1"/>')), {
    message: 'Not a plain drawing: <',
  })
  t.throws(() => rasterizeSvg(svg(' '.repeat(70_000))), { message: 'Not a plain drawing: too long' })
  t.throws(() => rasterizeSvg(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="100000"/>')), {
    message: 'Not a plain drawing: its size',
  })
})

/** The same drawing as drawing programs export it: what they add around it, and on its elements. */
const exports: Record<string, string> = {
  Illustrator:
    '\ufeff<?xml version="1.0" encoding="utf-8"?>\r\n<!-- Generator: A Program 27.0.0, SVG Export Plug-In . SVG Version: 6.00 Build 0)  -->\r\n' +
    '<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">\r\n' +
    '<svg version="1.1" id="Layer_1" xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" x="0px" y="0px" ' +
    'viewBox="0 0 8 4" style="enable-background:new 0 0 8 4;" xml:space="preserve"><g id="a_x26_b">SHAPE</g></svg>\r\n',
  Inkscape:
    '<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n<!-- Created with a program (http://www.example.org/) -->\n\n' +
    '<svg width="8mm" height="4mm" viewBox="0 0 8 4" version="1.1" id="svg1" inkscape:version="1.3.2" sodipodi:docname="a &amp; b.svg" ' +
    'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" xmlns:sodipodi="http://sodipodi.sourceforge.net/DTD/sodipodi-0.dtd" ' +
    'xmlns="http://www.w3.org/2000/svg" xmlns:svg="http://www.w3.org/2000/svg"><sodipodi:namedview id="n" pagecolor="#fff" ' +
    'inkscape:zoom="1"><inkscape:grid id="grid1" units="px" /></sodipodi:namedview><defs id="defs1" />' +
    '<metadata id="m"><rdf:RDF><cc:Work rdf:about=""><dc:title>A &amp; B</dc:title></cc:Work></rdf:RDF></metadata>' +
    '<g inkscape:label="Layer &lt;1&gt;" inkscape:groupmode="layer" id="layer1">SHAPE</g></svg>',
  Figma:
    '<svg width="8" height="4" viewBox="0 0 8 4" fill="none" xmlns="http://www.w3.org/2000/svg">\n<!-- Layer & more -->\nSHAPE\n</svg>\n',
  Sketch:
    '<?xml version="1.0" encoding="UTF-8"?>\n<svg width="8px" height="4px" viewBox="0 0 8 4" version="1.1" xmlns="http://www.w3.org/2000/svg">\n' +
    '    <title>Cats &amp; &#68;ogs &#x2013; &quot;one&quot;</title>\n    <desc>Created with a program.</desc>\n    <!-- c -->\n' +
    '    <g id="Page-1" stroke="none" stroke-width="1" fill="none" fill-rule="evenodd">SHAPE</g></svg>\n<!-- end -->',
}

t.test('an SVG as drawing programs export it is accepted as plain', async (t) => {
  const shape = '<path d="M0 0h8v4z" fill="#f00"/>'
  const styled =
    '<path id="p" d="M0 0h8v4z" style="fill:#f00;stroke:none;stroke-dasharray:none;stroke-dashoffset:0;font-family:Sans;-inkscape-stroke:none"/>'
  const expected = Buffer.from(rasterizeSvg(svg(shape)))
  for (const [program, text] of Object.entries(exports))
    for (const one of [shape, styled]) {
      const bytes = Buffer.from(text.replace('SHAPE', one))
      t.ok(looksLikeSvg(bytes) && expected.equals(rasterizeSvg(bytes)), `${program} ${one}`)
    }
})

interface Fake {
  /** Ends what is slow. */
  finish: () => void
  render: (job: CardJob) => Promise<Uint8Array>
  jobs: CardJob[]
}

/** A renderer that draws a card's name, and fails or takes long when the name says so. */
const fakeRenderer = (): Fake => {
  const jobs: CardJob[] = []
  const { promise: slow, resolve: finish } = Promise.withResolvers<void>()
  const render = async (one: CardJob) => {
    jobs.push(one)
    const name = one.card.kind === 'token' ? one.card.name : 'brand'
    if (name === 'broken') throw new Error('broken')
    if (name === 'slow') await slow
    return Buffer.from(name)
  }
  return { finish, render, jobs }
}
const wanted = (name: string, subject = '0x01') => {
  const { card, ratio } = makeCardJob({ name })
  return { card, ratio, subject }
}

t.test('equal cards are drawn once and cached', async (t) => {
  const { render, jobs } = fakeRenderer()
  const cards = createCards({ brand, shared: null, queueSize: () => 0, waitMs: 30_000 }, render)
  const drawn = await Promise.all(Array.from({ length: 10 }, () => cards.draw(wanted('a'))))
  t.same([...new Set(drawn.map(({ png, fresh }) => `${png} ${fresh}`))], ['a true'])
  t.equal((await cards.draw(wanted('a', '0x02'))).key, cards.keyOf(wanted('a')))
  t.equal(jobs.length, 1)
  await cards.draw({ ...wanted('a'), ratio: '3:2' })
  t.equal(jobs.length, 2)
})

t.test('while the queue is full an older card of the token, or the default card, is returned', async (t) => {
  const { render } = fakeRenderer()
  let waiting = 0
  const cards = createCards({ brand, shared: null, queueSize: () => waiting, waitMs: 30_000 }, render)
  await cards.draw(wanted('a'))
  waiting = 24
  const older = await cards.draw(wanted('b'))
  t.same([`${older.png}`, older.fresh, older.key], ['a', false, cards.keyOf(wanted('a'))])
  const other = await cards.draw(wanted('b', '0x02'))
  t.same([`${other.png}`, other.fresh], ['brand', false])
  waiting = 0
  t.same(await cards.draw(wanted('b')), { png: Buffer.from('b'), key: cards.keyOf(wanted('b')), fresh: true })
})

t.test('a slow card is returned to a later request', async (t) => {
  const { finish, render, jobs } = fakeRenderer()
  const cards = createCards({ brand, shared: null, queueSize: () => 0, waitMs: 40 }, render)
  const first = await cards.draw(wanted('slow'))
  t.same([`${first.png}`, first.fresh], ['brand', false])
  finish()
  // What was waiting for it goes on in the turns of the event loop that follow.
  await new Promise(setImmediate)
  const second = await cards.draw(wanted('slow'))
  t.same([`${second.png}`, second.fresh], ['slow', true])
  t.equal(jobs.length, 2)
})

t.test('with a failing renderer the default card or a plain image is returned', async (t) => {
  const { render } = fakeRenderer()
  const cards = createCards({ brand, shared: null, queueSize: () => 0, waitMs: 30_000 }, render)
  t.equal(`${(await cards.draw(wanted('broken'))).png}`, 'brand')
  const failing = createCards({ brand, shared: null, queueSize: () => 0, waitMs: 30_000 }, () =>
    Promise.reject(new Error('down')),
  )
  const { png, fresh } = await failing.draw({ ...wanted('a'), ratio: '3:2' })
  t.equal(fresh, false)
  t.match(await sharp(png).metadata(), { format: 'png', width: 1200, height: 800 })
})

t.test('replicas share cards through the cache, and draw them themselves without it', async (t) => {
  const shared = createMemoryCache()
  const [one, two] = [fakeRenderer(), fakeRenderer()]
  await createCards({ brand, shared, queueSize: () => 0, waitMs: 30_000 }, one.render).draw(wanted('a'))
  const { png, fresh } = await createCards({ brand, shared, queueSize: () => 99, waitMs: 30_000 }, two.render).draw(
    wanted('a'),
  )
  t.same([`${png}`, fresh, two.jobs.length], ['a', true, 0])
  const down = { ...shared, get: () => Promise.reject(new Error('down')), set: () => Promise.reject(new Error('down')) }
  const alone = await createCards({ brand, shared: down, queueSize: () => 0, waitMs: 30_000 }, two.render).draw(
    wanted('a'),
  )
  t.same([`${alone.png}`, alone.fresh], ['a', true])
})
