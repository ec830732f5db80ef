import type { Locator } from 'playwright-core'
import t from 'tap'
import { createWalletClient, formatEther, http, parseEther } from 'viem'
import { formatAmount, formatChange, formatPercent, formatPrice, formatUsd } from '../../sdk/src/helpers/index.ts'
import * as sdk from '../../sdk/src/index.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { findViolations, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const SCREENS = [
  { name: 'a phone', viewport: { width: 390, height: 844 }, theme: 'light', index: 2 },
  { name: 'a desktop', viewport: { width: 1440, height: 900 }, theme: 'dark', index: 4 },
] as const
const WIDTHS = [360, 390, 820, 1440]

type Trade = sdk.Schema<'Trade'>

t.test('a trader sees positions, other traders and the creator, and buys with one click', { skip }, async (t) => {
  // Contracts without a market: all that happens is what the test does.
  const service = await startService(t, { env: { MARKET: 'off' } })
  const read = async (path: string) => (await service.request('GET', path)).body.data
  /** Traders of the embedded chain, each signed in. */
  const enter = async (index: number) => {
    const client = sdk.createClient({ baseUrl: service.url })
    const wallet = createWalletClient({ account: account(index), transport: http(`${service.url}/rpc`) })
    await sdk.signIn(client, wallet)
    return { client, wallet, address: account(index).address.toLowerCase() }
  }
  type Trader = Awaited<ReturnType<typeof enter>>
  const buy = async ({ client, wallet }: Trader, token: string, coins: string) => {
    const options = { token, side: 'buy', amount: parseEther(coins), slippageBps: 5_000 } as const
    return (await sdk.trade(client, wallet, options)).trades[0] as Trade
  }
  const sell = async ({ client, wallet }: Trader, token: string, amount: bigint) =>
    (await sdk.trade(client, wallet, { token, side: 'sell', amount, slippageBps: 5_000 })).trades[0] as Trade

  const creator = await enter(1)
  const launch = (name: string, symbol: string) =>
    sdk.launch(creator.client, creator.wallet, { name, symbol, initialBuy: parseEther('0.01') })
  const { token } = await launch('Position Cat', 'PCAT')
  const { token: other } = await launch('Other Dog', 'ODOG')
  const { address } = token
  const traders = new Map<number, { trader: Trader; bought: Trade; sold: Trade }>()
  for (const { index } of SCREENS) {
    const trader = await enter(index)
    const bought = await buy(trader, address, '0.3')
    traders.set(index, { trader, bought, sold: await sell(trader, address, BigInt(bought.tokenAmount) / 2n) })
  }
  const seller = await enter(3)
  await sell(seller, address, BigInt((await buy(seller, address, '0.05')).tokenAmount))

  const browser = await openBrowser(t)
  for (const { name, viewport, theme, index } of SCREENS) {
    const { trader, bought, sold } = traders.get(index)!
    const { page, context, problems } = await visit(browser, { viewport, colorScheme: theme })
    await context.addInitScript(`localStorage.setItem('slipway.demo-account', '${index}')`)
    const open = async (path: string) => {
      await page.goto(`${service.url}/app${path}`)
      await page.getByRole('link', { name: /^Notifications/ }).waitFor()
    }
    const fits = async (t: { same(found: unknown, wanted: unknown, message: string): unknown }) => {
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        t.same(await findLayoutFaults(page), [], `${width} px`)
      }
      await page.setViewportSize(viewport)
    }
    const choose = (tab: string) => page.getByRole('tab', { name: tab }).click()
    const rowsOf = (region: string) => page.getByRole('region', { name: region, exact: true }).locator('tbody tr')
    const cellsOf = async (rows: Locator, text: string | RegExp) =>
      (await rows.filter({ hasText: text }).first().locator('td').allTextContents()).map((cell) => cell.trim())

    await t.test(`the position on ${name} is what was bought less what was sold`, async (t) => {
      await open(`/token/${address}`)
      const panel = page.getByRole('region', { name: 'Your position' })
      const figure = (label: string) =>
        panel
          .locator('dl > div')
          .filter({ hasText: new RegExp(`^${label}`) })
          .locator('dd')
          .textContent()
      await panel.waitFor()
      const left = BigInt(bought.tokenAmount) - BigInt(sold.tokenAmount)
      t.equal(await figure('Balance'), formatAmount(left))
      const { priceUsd, priceNative } = await read(`/tokens/${address}`)
      const amount = Number(formatEther(left))
      t.equal(await figure('Value'), formatUsd(amount * priceUsd), 'the amount times the price')
      // Half of the tokens are left, so half of what they cost.
      const { costUsd, unrealizedPnl, realizedPnl } = await read(
        `/portfolio/holdings/${address}?wallet=${trader.address}`,
      )
      const cost = 0.15
      const entryUsd = costUsd / amount
      t.ok(
        Math.abs(entryUsd / (((cost / amount) * priceUsd) / Number(priceNative)) - 1) < 1e-6,
        'at the price of the coin',
      )
      t.equal(await figure('Average entry'), `$${formatPrice(entryUsd)}`)
      const gain = amount * Number(priceNative) - cost
      t.ok(Math.abs(Number(formatEther(BigInt(unrealizedPnl.native))) - gain) < 1e-9)
      t.match(await figure('Unrealized'), formatUsd(unrealizedPnl.usd))
      t.match(await figure('Unrealized'), formatChange((100 * unrealizedPnl.usd) / costUsd))
      const profit = Number(formatEther(BigInt(sold.quoteAmount))) - cost
      t.ok(Math.abs(Number(formatEther(BigInt(realizedPnl.native))) - profit) < 1e-9)
      t.match(await figure('Realized'), formatUsd(realizedPnl.usd))

      await panel.getByRole('button', { name: 'Share' }).click()
      const dialog = page.getByRole('dialog', { name: 'Your profit on PCAT' })
      const picture = dialog.getByRole('img', { name: /^Profit, purchases/ })
      await until(
        () => picture.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
        (width) => width === 1200,
        'the picture of the profit is shown',
      )
      t.equal(await picture.getAttribute('src'), `${service.url}/og/pnl/${address}/${trader.address}`)
      await fits(t)
      await dialog.getByRole('button', { name: 'Close' }).click()

      const chart = page.getByRole('img', { name: /chart of PCAT/ })
      const says = (text: string) =>
        until(
          () => chart.getAttribute('aria-label'),
          (label) => label?.includes(text) === true,
          `the chart says: ${text}`,
        )
      await says(`Your trades: 1 buy, 1 sell. Your average entry ${formatPrice(entryUsd)}.`)
      await page
        .getByText('B and S mark your trades: 1 buy, 1 sell. The dashed line “Entry” is your average entry.')
        .waitFor()
      await page.getByRole('button', { name: 'Market cap', exact: true }).click()
      const supply = Number(formatEther(BigInt(token.totalSupply)))
      await says(`Your average entry ${formatPrice(entryUsd * supply)}.`)
      await page.getByRole('button', { name: 'ETH', exact: true }).click()
      await says(`Your average entry ${formatPrice(cost / amount)}.`)
      t.same(await findViolations(page), [])
      await fits(t)
    })

    await t.test(`trades of the own token on ${name} are one notification with their sums`, async (t) => {
      const own = await visit(browser, { viewport, colorScheme: theme })
      await own.context.addInitScript("localStorage.setItem('slipway.demo-account', '1')")
      await own.page.goto(`${service.url}/app/notifications`)
      const item = own.page.getByRole('listitem').filter({ hasText: 'Position Cat (PCAT)' })
      await item.filter({ hasText: 'and 2 others traded your token' }).waitFor()
      t.equal(await item.count(), 1)
      const { items } = await read(`/tokens/${address}/trades?limit=100`)
      for (const side of ['buy', 'sell'] as const) {
        const trades = (items as Trade[]).filter((one) => one.side === side && one.trader !== creator.address)
        const sum = (amount: 'tokenAmount' | 'quoteAmount') =>
          formatAmount(trades.reduce((total, one) => total + BigInt(one[amount]), 0n))
        t.match(await item.textContent(), `3 ${side}s of ${sum('tokenAmount')} PCAT for ${sum('quoteAmount')} ETH`)
      }
      t.same(await findViolations(own.page), [])
      for (const width of WIDTHS) {
        await own.page.setViewportSize({ width, height: 900 })
        t.same(await findLayoutFaults(own.page), [], `${width} px`)
      }
      t.same(own.problems, [])
      await own.context.close()
    })

    await t.test(`the first buyers on ${name} have what they paid and what is left`, async (t) => {
      await choose('First buyers')
      const rows = rowsOf('First buyers')
      await rows.first().waitFor()
      const { items } = await read(`/tokens/${address}/first-buyers`)
      t.equal(await rows.count(), 4)
      t.match(
        items.map(({ wallet }: { wallet: string }) => wallet),
        [creator, traders.get(2)!.trader, traders.get(4)!.trader, seller].map((trader) => trader.address),
      )
      t.equal(
        await rows
          .first()
          .getByTitle(/^Creator:/)
          .count(),
        1,
        'its mark',
      )
      const own = await cellsOf(rows, 'you')
      const of = items.find(({ wallet }: { wallet: string }) => wallet === trader.address)
      t.equal(own[2], '0.3')
      t.equal(own[3], '50%', 'half is left')
      t.equal(
        own[4],
        formatPercent((100 * (Number(bought.tokenAmount) - Number(sold.tokenAmount))) / Number(token.totalSupply), 2),
      )
      t.equal(own[1], formatAmount(of.tokenAmount))
      await rows.filter({ hasText: 'Sold all' }).first().waitFor({ state: 'attached' })
      t.same(await findViolations(page), [])
      await fits(t)
    })

    await t.test(`the top traders on ${name} are ranked by what is chosen`, async (t) => {
      await choose('Top traders')
      const rows = rowsOf('Top traders')
      await page.getByRole('group', { name: 'Ranked by' }).getByRole('button', { name: 'Volume' }).click()
      const { items: trades } = await read(`/tokens/${address}/trades?limit=100`)
      const volumes = new Map<string, bigint>()
      for (const { trader: wallet, quoteAmount } of trades as Trade[])
        volumes.set(wallet, (volumes.get(wallet) ?? 0n) + BigInt(quoteAmount))
      const expected = [...volumes.values()].sort((a, b) => Number(b - a)).map((sum) => formatAmount(sum))
      await until(
        () => rows.locator('td:nth-child(4)').allTextContents(),
        (shown) => JSON.stringify(shown) === JSON.stringify(expected),
        'volumes are the sums of all trades, in descending order',
      )
      await page
        .getByRole('group', { name: 'Ranked by' })
        .getByRole('button', { name: 'Realized', exact: true })
        .click()
      const profit = Number(formatEther(BigInt(sold.quoteAmount))) - 0.15
      const { items } = await read(`/tokens/${address}/top-traders?by=realized`)
      const { realizedPnl } = items.find(({ wallet }: { wallet: string }) => wallet === trader.address)
      t.ok(Math.abs(Number(formatEther(BigInt(realizedPnl.native))) - profit) < 1e-9)
      await until(
        async () => (await cellsOf(rows, 'you'))[4],
        (text) => text?.endsWith(`${formatAmount(realizedPnl.quote)} ETH`) === true,
        'proceeds less half of the cost, in the asset of the ranking',
      )
      t.same(await findViolations(page), [])
      await fits(t)
    })

    await t.test(`holders on ${name} have marks, and a click shows the trades of one`, async (t) => {
      await choose('Holders')
      const rows = rowsOf('Holders')
      await rows.filter({ hasText: 'Bonding curve' }).waitFor()
      const { items } = await read(`/tokens/${address}/first-buyers`)
      const { flags } = items.find(({ wallet }: { wallet: string }) => wallet === trader.address)
      t.ok(flags.length > 0, 'the launch says something about the wallet')
      const own = rows.filter({ hasText: 'you' })
      for (const flag of flags) t.ok(await own.getByTitle(new RegExp(`^${flag}:`, 'i')).isVisible(), flag)
      await own.getByRole('button', { name: `Trades of ${trader.address} only` }).click()
      const trades = rowsOf('Trades')
      const count = (wanted: number, what: string) =>
        until(
          () => trades.count(),
          (rows) => rows === wanted,
          what,
        )
      await count(2, 'its purchase and its sale')
      t.equal(new URL(page.url()).searchParams.get('trader'), trader.address)
      const side = page.getByRole('group', { name: 'Trades shown' })
      await side.getByRole('button', { name: 'Sells' }).click()
      await count(1, 'its sale')
      await page.getByRole('button', { name: 'Trades of all wallets' }).click()
      await count(3, 'the sales of all')
      await side.getByRole('button', { name: 'All' }).click()
      const least = page.getByRole('textbox', { name: '≥ ETH' })
      await least.fill('0.2')
      await count(2, 'two purchases of 0.3')
      await page.reload()
      await count(2, 'after a reload, too')
      t.equal(await least.inputValue(), '0.2')
      await page.getByRole('button', { name: 'Mine' }).click()
      await count(1, 'the own one of them')
      t.same(await findViolations(page), [])
      await fits(t)
    })

    await t.test(`the creator on ${name} has a record and other tokens`, async (t) => {
      const panel = page.getByRole('region', { name: 'Creator', exact: true })
      await panel.scrollIntoViewIfNeeded()
      const figure = (label: string) =>
        panel.locator('dl > div').filter({ hasText: label }).locator('dd').first().textContent()
      await panel.getByText('Graduation rate').waitFor()
      t.same([await figure('Launched'), await figure('Graduated'), await figure('Graduation rate')], ['2', '0', '0%'])
      await panel.getByRole('link', { name: /Other Dog/ }).click()
      await page.getByRole('heading', { level: 1, name: 'Other Dog' }).waitFor()
    })

    await t.test(`the profile of a trader on ${name} has its profit and its win rate`, async (t) => {
      await open(`/profile/${trader.address}`)
      const panel = page.getByRole('region', { name: 'Trading' })
      const figure = (label: string) =>
        panel
          .locator('dl > div')
          .filter({ hasText: new RegExp(`^${label}`) })
          .locator('dd')
          .textContent()
      await panel.getByText('Win rate').waitFor()
      const { realizedPnl } = await read(`/wallets/${trader.address}/stats`)
      const profit = Number(formatEther(BigInt(sold.quoteAmount))) - 0.15
      t.ok(Math.abs(Number(formatEther(BigInt(realizedPnl.native))) - profit) < 1e-9, 'proceeds less half of the cost')
      t.match(await figure('Realized'), formatUsd(realizedPnl.usd))
      t.equal(await figure('Win rate'), profit > 0 ? '100.0%' : '0.0%', 'of one sale')
      t.equal(await figure('Trades'), '2')
      t.same(await findViolations(page), [])
      await fits(t)
    })

    await t.test(`a preset on ${name} buys with one click, and asks about a high price impact`, async (t) => {
      await open('/')
      const bar = page.getByRole('region', { name: 'Quick buy' })
      const column = page.getByRole('region', { name: 'Tokens: New' })
      const trades = async () =>
        (await read(`/tokens/${other.address}/trades?wallet=${trader.address}`)).items as Trade[]
      await bar.getByRole('button', { name: 'Edit the amounts' }).click()
      const dialog = page.getByRole('dialog')
      const first = dialog.getByRole('textbox', { name: 'Amount 1 in ETH' })
      await first.fill('none')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await dialog.getByText('“none” is not a number.').waitFor()
      t.same(await findViolations(page), [])
      await first.fill('0,015')
      await dialog.getByRole('button', { name: 'Save' }).click()
      await bar.getByRole('button', { name: '0.015', exact: true }).click()
      await page.reload()
      t.equal(await bar.getByRole('button', { name: '0.015', exact: true }).getAttribute('aria-pressed'), 'true')
      await column.getByRole('button', { name: 'Buy ODOG for 0.015 ETH' }).click()
      await page.getByText(/^Bought [\d.,MK]+ ODOG for 0\.015 ETH\.$/).waitFor()
      t.match(await trades(), [{ side: 'buy', quoteAmount: String(parseEther('0.015')) }])
      t.equal((await trades()).length, 1, 'once')
      t.same(await findViolations(page), [])
      await page.getByRole('button', { name: 'Dismiss' }).click()

      await bar.getByRole('button', { name: '1', exact: true }).click()
      await column.getByRole('button', { name: 'Buy ODOG for 1 ETH' }).click()
      await dialog.getByRole('alert').getByText('Trade a smaller amount.').waitFor()
      t.same(await findViolations(page), [])
      await dialog.getByRole('button', { name: 'Close' }).click()
      t.equal((await trades()).length, 1, 'nothing is bought without a confirmation')
      await column.getByRole('button', { name: 'Buy ODOG for 1 ETH' }).click()
      await dialog.getByRole('button', { name: 'Buy anyway' }).click()
      await page.getByText(/^Bought [\d.,MK]+ ODOG for 1 ETH\.$/).waitFor()
      t.equal((await trades()).length, 2)
      if (viewport.width > 640)
        await page
          .getByRole('region', { name: /^All tokens/ })
          .getByRole('button', { name: 'Buy ODOG for 1 ETH' })
          .waitFor()
      await fits(t)
      t.same(problems, [])
    })
    await context.close()
  }

  await t.test('a visitor without a wallet has no buy buttons', async (t) => {
    const { page } = await visit(browser)
    await page.goto(`${service.url}/app`)
    await page
      .getByRole('region', { name: 'Tokens: New' })
      .getByRole('link', { name: /Other Dog/ })
      .waitFor()
    t.equal(await page.getByRole('button', { name: /^Buy / }).count(), 0)
  })
})
