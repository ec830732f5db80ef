import type { Page } from 'playwright-core'
import t from 'tap'
import { formatUsd } from '../../sdk/src/helpers/index.ts'
import { readFigure, type Unit, writeFigure } from '../../web/src/lib/read-figure.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { findViolations, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const SCREENS = [
  { name: 'a phone', viewport: { width: 390, height: 844 }, theme: 'light' },
  { name: 'a desktop', viewport: { width: 1440, height: 900 }, theme: 'dark' },
] as const
const WIDTHS = [360, 390, 820, 1440]

t.test('typed figures are read, and written as they were typed', async (t) => {
  for (const [text, unit, value, written] of [
    ['10k', 'usd', 10_000, '10k'],
    ['$2.5M', 'usd', 2_500_000, '2.5m'],
    ['1,5k', 'usd', 1_500, '1.5k'],
    ['1.1k', 'count', 1_100, '1.1k'],
    ['1234', 'usd', 1_234, '1.234k'],
    ['12345', 'count', 12_345, '12.345k'],
    ['1234567', 'count', 1_234_567, '1234.567k'],
    ['12345678', 'count', 12_345_678, '12345.678k'],
    ['0', 'count', 0, '0'],
    ['25 %', 'percent', 25, '25'],
    ['-5', 'percent', -5, '-5'],
    ['−5.25%', 'percent', -5.25, '-5.25'],
    ['2b', 'usd', 2e9, '2b'],
    ['2m', 'duration', 120, '2m'],
    ['1h30m', 'duration', 5_400, '1h30m'],
    ['1.5h', 'duration', 5_400, '1h30m'],
    ['10d', 'duration', 864_000, '1w3d'],
    ['90s', 'duration', 90, '1m30s'],
    ['0', 'duration', 0, '0'],
  ] as const) {
    t.same(readFigure(text, unit), { value, problem: null }, text)
    t.equal(writeFigure(value, unit), written, text)
    t.equal(readFigure(written, unit).value, value, `${written} is the same`)
  }
  t.same(readFigure(' ', 'usd'), { value: null, problem: null })
  for (const [text, unit, problem] of [
    ['ten', 'usd', 'Enter a figure such as 500, 10k or 2m.'],
    ['1,000', 'usd', 'Write 1000 without commas.'],
    ['10x', 'count', 'Enter a figure such as 50 or 1k.'],
    ['30', 'duration', 'Enter a figure such as 30m, 1h or 2d.'],
    ['1y', 'duration', 'Enter a figure such as 30m, 1h or 2d.'],
    ['-1h', 'duration', 'Enter a figure such as 30m, 1h or 2d.'],
    ['.', 'usd', 'Enter a figure such as 500, 10k or 2m.'],
    [`${'1234h'.repeat(40)}!`, 'duration', 'Enter a figure such as 30m, 1h or 2d.'],
  ] as const satisfies [string, Unit, string][])
    t.same(readFigure(text, unit), { value: null, problem }, text)
  t.equal(writeFigure('abc', 'count'), 'abc', 'what the service refuses stays as it was typed')
})

interface Token {
  address: string
  name: string
  marketCapUsd: number
  status: string
  holderCount: number
  volumeUsd24h: number
  links: Record<string, string | null>
}

t.test('the token list is filtered on phones and desktops', { skip }, async (t) => {
  const service = await startService(t)
  const read = async (path: string) => (await service.request('GET', path)).body.data
  await until(
    () => read('/stats'),
    ({ tokens, indexer }) => tokens.graduated > 0 && indexer.lagBlocks === 0,
    'the history of the market is indexed',
  )
  const readAll = async (): Promise<Token[]> => (await read('/tokens?limit=100')).items
  const browser = await openBrowser(t)

  for (const { name, viewport, theme } of SCREENS) {
    const isPhone = viewport.width < 640
    const { page, context, problems } = await visit(browser, { viewport, colorScheme: theme })
    const list = page.getByRole('region', { name: /^All tokens/ })
    const rows = list.locator('tbody tr')
    const form = isPhone ? page.getByRole('dialog') : page.getByRole('region', { name: 'Filters', exact: true })
    const open = (to: string) => page.goto(`${service.url}/app${to}`)
    const openForm = async () => {
      await list.getByRole('button', { name: /^Filters/ }).click()
      await form.waitFor()
    }
    const closeForm = () =>
      isPhone
        ? form.getByRole('button', { name: /^Show/ }).click()
        : list.getByRole('button', { name: /^Filters/ }).click()
    const field = (label: string) => form.getByRole('textbox', { name: label, exact: true })
    const conditions = () => list.getByRole('list', { name: 'Active filters' }).getByRole('listitem').allTextContents()
    const shownNames = async () => (await rows.getByRole('link').allTextContents()).sort()
    /** The market trades meanwhile: the list is what the service had at some moment. */
    const shows = (isMatch: (token: Token) => boolean, what: string) =>
      until(
        async () =>
          [
            await shownNames(),
            (await readAll())
              .filter(isMatch)
              .map((one) => one.name)
              .sort(),
          ] as const,
        ([shown, expected]) => JSON.stringify(shown) === JSON.stringify(expected),
        what,
      )
    const becomes = (parameters: Record<string, string | null>) =>
      until(
        async () => Object.keys(parameters).map((key) => new URL(page.url()).searchParams.get(key)),
        (values) => JSON.stringify(values) === JSON.stringify(Object.values(parameters)),
        `the URL says ${JSON.stringify(parameters)}`,
      )

    await t.test(`filters on ${name} are in the URL, and back and forward change them`, async (t) => {
      await open('/')
      await rows.first().waitFor()
      const caps = (await readAll()).map(({ marketCapUsd }) => marketCapUsd).sort((a, b) => a - b)
      // Between two market caps that are far apart, so that trades do not move a token over it.
      const gaps = caps
        .slice(1)
        .map((cap, index) => ({ ratio: cap / (caps[index] as number), at: Math.sqrt(cap * (caps[index] as number)) }))
      const limit = Number((gaps.sort((a, b) => b.ratio - a.ratio)[0]!.at / 1_000).toPrecision(3))
      await openForm()
      await field('Market cap, at least').fill(`${limit}k`)
      await becomes({ minMarketCapUsd: String(limit * 1_000) })
      await form.getByRole('button', { name: 'On curve', exact: true }).click()
      await becomes({ minMarketCapUsd: String(limit * 1_000), status: 'curve' })
      await form.getByRole('button', { name: 'Graduated', exact: true }).click()
      await becomes({ status: 'curve,graduated' })
      if (isPhone) await form.getByRole('button', { name: /^Show \d+ tokens?$/ }).waitFor()
      await closeForm()
      await shows(
        ({ marketCapUsd, status }) => marketCapUsd >= limit * 1_000 && status !== 'completed',
        'all tokens of that size',
      )
      t.same(await conditions(), [
        'Status On curve, Graduated',
        `Market cap ≥ $${writeFigure(limit * 1_000, 'usd')}`,
        'Clear all',
      ])
      t.equal(await list.getByRole('button', { name: 'Filters 2 active' }).count(), 1)
      const count = await list.getByRole('heading').textContent()
      t.equal(count, `All tokens (${await rows.count()})`, 'the number of matches')

      await page.reload()
      await rows.first().waitFor()
      t.equal((await conditions()).length, 3, 'a reload keeps them')
      await page.goBack()
      await becomes({ minMarketCapUsd: String(limit * 1_000), status: 'curve' })
      await page.goBack()
      await becomes({ minMarketCapUsd: String(limit * 1_000), status: null })
      await page.goBack()
      await becomes({ minMarketCapUsd: null, status: null })
      t.equal(await list.getByRole('list', { name: 'Active filters' }).count(), 0)
      await page.goForward()
      await becomes({ minMarketCapUsd: String(limit * 1_000) })
      await openForm()
      t.equal(await field('Market cap, at least').inputValue(), writeFigure(limit * 1_000, 'usd'))
      await closeForm()
      await list.getByRole('button', { name: 'Remove the filter Market cap' }).click()
      await becomes({ minMarketCapUsd: null })
    })

    await t.test(`windows, links and what matches nothing on ${name}`, async (t) => {
      await open('/?minVolumeUsd.h24=5000')
      await shows(({ volumeUsd24h }) => volumeUsd24h >= 5_000, 'tokens with that volume')
      t.same(await conditions(), ['Volume 24h ≥ $5k', 'Clear all'])
      await openForm()
      t.equal(
        await form.getByRole('button', { name: 'Volume of 24h, filtered' }).getAttribute('aria-pressed'),
        'true',
        'the window with a filter is chosen',
      )
      await form.getByRole('button', { name: 'Volume of 1h' }).click()
      await field('Volume 1h, at most').fill('1.5m')
      await becomes({ 'minVolumeUsd.h24': '5000', 'maxVolumeUsd.h1': '1500000' })
      await form.getByRole('button', { name: 'Has links' }).click()
      await becomes({ hasLinks: 'true' })
      await closeForm()
      await shows(
        ({ volumeUsd24h, links }) => volumeUsd24h >= 5_000 && Object.values(links).some((link) => link !== null),
        'of these the ones with links',
      )
      await openForm()
      await field('Holders, at least').fill('1b')
      await field('Holders, at least').press('Enter')
      await becomes({ minHolders: '1000000000' })
      await closeForm()
      await list.getByText('No token matches these filters').waitFor()
      await list.getByRole('button', { name: 'Clear all filters' }).click()
      await becomes({ minHolders: null, hasLinks: null, 'minVolumeUsd.h24': null, 'maxVolumeUsd.h1': null })
      await rows.first().waitFor()
    })

    await t.test(`errors on ${name} are at their field`, async (t) => {
      await open('/')
      await openForm()
      const problemOf = async (label: string) => {
        const id = await field(label).getAttribute('aria-describedby')
        return id === null ? null : page.locator(`id=${id}`).textContent()
      }
      await field('Market cap, at least').fill('ten')
      t.equal(await field('Market cap, at least').getAttribute('aria-invalid'), 'false', 'not while one types')
      await field('Market cap, at least').blur()
      t.equal(await problemOf('Market cap, at least'), 'Enter a figure such as 500, 10k or 2m.')
      t.equal(new URL(page.url()).search, '', 'it is not requested')
      await field('Market cap, at least').fill('')
      for (const [label, text, problem, parameter] of [
        ['Top 10 hold, at most', '200', 'Must be at most 100.', 'maxTop10Pct'],
        ['Holders, at least', '1.5', 'Must be a whole number.', 'minHolders'],
      ] as const) {
        await field(label).fill(text)
        await until(
          () => problemOf(label),
          (shown) => shown === problem,
          `${label}: ${problem}`,
        )
        t.equal(await field(label).getAttribute('aria-invalid'), 'true')
        await field(label).fill('')
        await becomes({ [parameter]: null })
      }
      await field('Age, at least').fill('2h')
      await field('Age, at most').fill('30m')
      await until(
        () => problemOf('Age, at least'),
        (shown) => shown === 'Must not be above the maximum.',
        'the ends are in the wrong order',
      )
      t.same(await findViolations(page), [])
      await closeForm()
      await list.getByRole('alert').getByText('Age, at least: Must not be above the maximum.').waitFor()
      await open('/?maxHolders=many')
      await list.getByRole('alert').getByText('Holders, at most: Must be a whole number.').waitFor()
      await openForm()
      t.equal(await field('Holders, at most').inputValue(), 'many')
    })

    await t.test(`presets on ${name} are saved under a name, chosen and deleted`, async (t) => {
      await open('/?minHolders=2&sort=mcap')
      await openForm()
      await form.getByRole('button', { name: 'Save as preset' }).click()
      await form.getByRole('textbox', { name: 'Name of the preset' }).fill('Two holders')
      await form.getByRole('button', { name: 'Save', exact: true }).click()
      const own = form.getByRole('button', { name: 'Two holders', exact: true })
      await own.waitFor()
      t.equal(await own.getAttribute('aria-pressed'), 'true')
      await form.getByRole('button', { name: 'Nearly graduated' }).click()
      await becomes({ minHolders: null, minProgressPct: '70', status: 'curve', sort: 'curve' })
      t.equal(await own.getAttribute('aria-pressed'), 'false')
      t.same(await findViolations(page), [])
      await open('/')
      await openForm()
      await own.click()
      await becomes({ minHolders: '2', minProgressPct: null, sort: 'mcap' })
      await form.getByRole('button', { name: 'Delete the preset Two holders' }).click()
      await own.waitFor({ state: 'detached' })
      await page.reload()
      await openForm()
      t.equal(await own.count(), 0)
      for (const stored of [
        '{',
        '[1, null, {"name":"x"}, {"name":"y","filters":{"evil":1,"minHolders":{}},"sort":"z"}]',
      ]) {
        await page.evaluate(`localStorage.setItem('slipway.filter-presets', ${JSON.stringify(stored)})`)
        await open('/')
        await openForm()
        t.equal(await form.getByRole('button', { name: 'x', exact: true }).count(), 0)
      }
      await form.getByRole('button', { name: 'y', exact: true }).click()
      await open('/')
      await rows.first().waitFor()
    })

    await t.test(`columns on ${name} sort the table, and cards show the same tokens`, async (t) => {
      await open('/')
      await list.getByRole('columnheader', { name: '24h in ETH', exact: true }).waitFor()
      if (isPhone) await list.getByRole('button', { name: 'Market cap' }).click()
      else await list.getByRole('columnheader').getByRole('button', { name: 'Market cap' }).click()
      await becomes({ sort: 'mcap' })
      if (!isPhone) {
        const heading = list.getByRole('columnheader', { name: 'Market cap' })
        const index = (await list.getByRole('columnheader').allTextContents()).findIndex((text) =>
          text.startsWith('Market cap'),
        )
        for (const [sorted, sign] of [
          ['descending', -1],
          ['ascending', 1],
        ] as const) {
          await until(
            async () => [
              await rows.locator(`td:nth-child(${index + 1})`).allTextContents(),
              (await readAll())
                .map(({ marketCapUsd }) => marketCapUsd)
                .sort((a, b) => sign * (a - b))
                .map(formatUsd),
            ],
            ([shown, expected]) => JSON.stringify(shown) === JSON.stringify(expected),
            `market caps are shown in ${sorted} order`,
          )
          t.equal(await heading.getAttribute('aria-sort'), sorted)
          await heading.getByRole('button').click()
          await becomes({ sort: 'mcap', direction: sorted === 'descending' ? 'asc' : null })
        }
        await list.getByRole('columnheader').getByRole('button', { name: 'Liquidity' }).click()
        await becomes({ sort: 'liquidity', direction: null })
        await page.goBack()
        await becomes({ sort: 'mcap' })
      }
      await list.getByRole('button', { name: 'Cards' }).click()
      await becomes({ view: 'cards' })
      const cards = list.getByRole('list', { name: 'Tokens' }).getByRole('listitem')
      t.equal(await cards.count(), (await readAll()).length)
      t.same(await findViolations(page), [])
    })

    await t.test(`columns on ${name} show whole cards, and the nearly graduated begin at 70 %`, async (t) => {
      await open('/')
      await rows.first().waitFor()
      const { items: near } = await read('/tokens?sort=curve&minProgressPct=70&limit=8')
      const shown = page.getByRole('region', { name: 'Tokens: About to graduate' }).getByRole('listitem')
      await until(
        () => shown.count(),
        (count) => count === near.length,
        'only those from 70 %',
      )
      const clipped = () =>
        page.evaluate(`[...document.querySelectorAll('section[aria-label^="Tokens: "]')].flatMap((column) => {
          const { top, bottom } = column.getBoundingClientRect()
          return [...column.querySelectorAll('li')]
            .map((card) => card.getBoundingClientRect())
            .filter((card) => (card.top < bottom - 1 && card.bottom > bottom + 1) || (card.top < top - 1 && card.bottom > top + 1))
            .map((card) => [column.ariaLabel, card.top - top, card.bottom - bottom])
        })`)
      const column = page.getByRole('region', { name: 'Tokens: New' })
      t.ok((await column.getByRole('listitem').count()) > 5, 'more than fit')
      t.same(await clipped(), [])
      await column.hover()
      await page.mouse.wheel(0, 130)
      await until(
        () => column.evaluate((element: { scrollTop: number }) => element.scrollTop),
        (top) => top > 0 && top % 97 === 0,
        'scrolling ends at a card',
      )
      t.same(await clipped(), [])
    })

    await t.test(`the open filters fit at every width, from ${name}`, async (t) => {
      await open('/?minMarketCapUsd=1000&status=curve,graduated&hasLinks=true&minVolumeUsd.h24=1&maxAge=86400000')
      await openForm()
      await fits(t, page)
      await open('/?view=cards')
      await list.getByRole('list', { name: 'Tokens' }).waitFor()
      await fits(t, page)
      t.same(
        problems.filter((problem) => !/status of (400|503)/.test(problem)),
        [],
      )
    })
    await context.close()
  }
})

async function fits(t: { same(found: unknown, wanted: unknown, message: string): unknown }, page: Page): Promise<void> {
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    t.same(await findLayoutFaults(page), [], `${width} px`)
  }
}
