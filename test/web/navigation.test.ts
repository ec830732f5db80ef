import type { Locator } from 'playwright-core'
import t from 'tap'
import { formatAmount } from '../../sdk/src/helpers/index.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { findViolations, openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const SCREENS = [
  { name: 'a phone', viewport: { width: 390, height: 844 } },
  { name: 'a desktop', viewport: { width: 1440, height: 900 } },
]

t.test('tokens are found, shared and traded on phones and desktops', { skip }, async (t) => {
  const service = await startService(t)
  const read = async (path: string) => (await service.request('GET', path)).body.data
  await until(
    () => read('/stats'),
    ({ tokens, indexer }) => tokens.graduated > 0 && indexer.lagBlocks === 0,
    'the history of the market is indexed',
  )
  const { items: tokens } = await read('/tokens?sort=curve&limit=50')
  const token = tokens.find(({ status }: { status: string }) => status === 'curve')
  const path = `/app/token/${token.address}`
  const browser = await openBrowser(t)

  for (const { name, viewport } of SCREENS) {
    const isPhone = viewport.width < 1_024
    const { page, context, problems } = await visit(browser, { viewport })
    const open = (to: string) => page.goto(service.url + to)
    const requested: string[] = []
    page.on('request', (request) => requested.push(new URL(request.url()).pathname))
    const panel = page.getByRole('region', { name: `Trade ${token.symbol}` })
    const isOnScreen = async (one: Locator) => {
      const box = await one.boundingBox()
      return box !== null && box.y >= 0 && box.y + box.height <= viewport.height
    }

    await t.test(`Buy and Sell are on the first screen of ${name}`, async (t) => {
      await open(path)
      await panel.waitFor()
      await page.getByRole('region', { name: 'Trades', exact: true }).waitFor()
      t.same(
        requested.filter((one) => /^\/(portfolio|rpc|alerts)/.test(one)),
        [],
        'a visitor without a wallet has no position and no balance',
      )
      const bar = page.getByRole('group', { name: `Buy or sell ${token.symbol}` })
      if (!isPhone) {
        t.ok(await isOnScreen(panel.getByRole('button', { name: 'Connect a wallet' })))
        return t.equal(await bar.isVisible(), false, 'the panel is enough')
      }
      await bar.waitFor()
      for (const side of ['Buy', 'Sell']) t.ok(await isOnScreen(bar.getByRole('button', { name: side })), side)
      t.same(await findViolations(page), [])
      await bar.getByRole('button', { name: 'Sell' }).click()
      await bar.waitFor({ state: 'hidden' })
      const field = panel.getByRole('textbox', { name: 'You sell' })
      t.ok(await isOnScreen(field))
      await page.keyboard.type('12')
      t.equal(await field.inputValue(), '12', 'an amount can be typed')
      await page.evaluate('scrollTo(0, 0)')
      await bar.waitFor()
    })

    await t.test(`the navigation of ${name} leads to the main pages, and hides nothing`, async (t) => {
      await open(path)
      await panel.waitFor()
      const navigation = page.getByRole('navigation', { name: isPhone ? 'Quick navigation' : 'Main' })
      const other = page.getByRole('navigation', { name: isPhone ? 'Main' : 'Quick navigation' })
      t.equal(await other.isVisible(), false)
      const links = await navigation.getByRole('link').allTextContents()
      t.same(
        links,
        isPhone
          ? ['Market', 'Activity', 'Launch', 'Leaderboard', 'Portfolio']
          : ['Market', 'Activity', 'Raises', 'Staking', 'Leaderboard', 'Portfolio'],
      )
      if (isPhone) {
        const [edge, bar] = await Promise.all([
          navigation.boundingBox(),
          page.getByRole('group', { name: `Buy or sell ${token.symbol}` }).boundingBox(),
        ])
        t.equal(edge && edge.y + edge.height, viewport.height, 'it is at the edge of the screen')
        t.ok(bar && edge && bar.y + bar.height <= edge.y, 'below Buy and Sell')
        await page.evaluate('scrollTo(0, document.body.scrollHeight)')
        const footer = await page.getByRole('contentinfo').boundingBox()
        t.ok(footer && edge && footer.y + footer.height <= edge.y + 1, 'the end of the page is above it')
      }
      for (const label of ['Leaderboard', 'Portfolio', 'Market']) {
        const link = navigation.getByRole('link', { name: label })
        await link.click()
        await page.locator(`nav [aria-current=page]:visible`, { hasText: label }).waitFor()
        t.equal(await page.locator('nav [aria-current=page]:visible').count(), 1, label)
      }
      t.same(await findViolations(page), [])
    })

    await t.test(
      `the search on ${name} shows what was chosen last, until it is cleared, and what is trending`,
      async (t) => {
        const search = page.getByRole('combobox', { name: 'Search tokens and wallets' })
        const recent = page.getByRole('group', { name: 'Recent searches' })
        const trending = page.getByRole('listbox', { name: 'Suggestions' }).getByRole('group', { name: 'Trending' })
        await open('/app')
        await search.click()
        await trending.getByRole('option').first().waitFor()
        const { items: expected } = await read('/tokens?sort=trending&limit=5')
        t.equal(await trending.getByRole('option').count(), expected.length)
        t.equal(await recent.isVisible(), false, 'nothing yet')
        await search.fill(token.address)
        await page.getByRole('listbox', { name: 'Results' }).getByRole('option').first().click()
        await page.waitForURL(`**${path}`)
        await open('/app')
        await search.click()
        const entry = recent.getByRole('option', { name: `${token.name} ${token.symbol}` })
        await entry.waitFor()
        await trending.getByRole('option').first().waitFor()
        t.same(await findViolations(page), [])
        await page.keyboard.press('Enter')
        await page.waitForURL(`**${path}`)
        await search.click()
        t.equal(await recent.getByRole('option').count(), 2, 'one token is one entry')
        await recent.getByRole('option', { name: 'Clear recent searches' }).click()
        await recent.waitFor({ state: 'hidden' })
        t.equal(await page.evaluate("localStorage.getItem('slipway.searches')"), null)
      },
    )

    await t.test(`stored searches that are damaged do no harm on ${name}`, async (t) => {
      for (const stored of ['{', '[1, null, {"kind":"token","label":"x","address":"javascript:alert(1)"}]']) {
        await page.evaluate(`localStorage.setItem('slipway.searches', ${JSON.stringify(stored)})`)
        await open('/app')
        await page.getByRole('combobox', { name: 'Search tokens and wallets' }).click()
        t.equal(await page.getByRole('group', { name: 'Recent searches' }).isVisible(), false)
      }
    })

    await t.test(`a token is shared by its link on ${name}`, async (t) => {
      await context.grantPermissions(['clipboard-read', 'clipboard-write'])
      await open(`${path}?tab=holders`)
      const share = page.getByRole('button', { name: `Share ${token.symbol}` })
      await share.click()
      await page.getByRole('button', { name: 'Link copied' }).waitFor()
      t.equal(await page.evaluate('navigator.clipboard.readText()'), service.url + path)
      await page.evaluate('navigator.share = async (data) => void (globalThis.shared = data)')
      await share.click()
      const title = `${token.name} (${token.symbol})`
      t.same(await page.evaluate('shared'), { title, url: service.url + path }, 'the dialog of the system is preferred')
    })

    await t.test(`transactions on ${name} have a token, an amount and a value`, async (t) => {
      await open(`/app/profile/${WALLET}?tab=activity`)
      const { items } = await read(`/transactions?wallet=${WALLET}&limit=20`)
      const trade = items.find(({ type }: { type: string }) => type === 'buy' || type === 'sell')
      const { symbol, decimals } = await read(`/tokens/${trade.token}`)
      const row = page
        .getByRole('region', { name: 'Transactions' })
        .locator('tbody tr')
        .filter({ hasText: `${formatAmount(trade.amounts.quoteAmount)} ETH` })
        .first()
      await row.getByRole('link', { name: symbol, exact: true }).waitFor()
      const cells = row.locator('td')
      t.equal(await cells.nth(1).textContent(), formatAmount(trade.amounts.tokenAmount, decimals))
      for (const index of [0, 1, 2]) t.ok(await cells.nth(index).isVisible())
      const [width] = (await page.evaluate('[document.documentElement.scrollWidth]')) as [number]
      t.ok(width <= viewport.width, 'without scrolling sideways')
      t.same(problems, [])
    })
    await context.close()
  }
})
