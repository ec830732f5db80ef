import type { Page } from 'playwright-core'
import t from 'tap'
import { createWalletClient, http, parseEther } from 'viem'
import * as sdk from '../../sdk/src/index.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const TRANSFER = { to: account(5).address, data: '0x', value: 1n } as const

t.test('a page that stays open shows the present state', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off', FINALITY: '3' } })
  const client = sdk.createClient({ baseUrl: service.url })
  const signerOf = (index: number) =>
    createWalletClient({ account: account(index), transport: http(`${service.url}/rpc`) })
  const creator = signerOf(3)
  const buyer = signerOf(4)
  const { token } = await sdk.launch(client, creator, { name: 'Fresh Fish', symbol: 'FRESH' })
  const buy = () => sdk.trade(client, buyer, { token: token.address, side: 'buy', amount: parseEther('0.01') })
  const browser = await openBrowser(t)

  await t.test('a launch and its trades become final without another event', async (t) => {
    const { page, context } = await visit(browser)
    await page.goto(`${service.url}/app/token/${token.address}`)
    await page.getByTitle('State of the live connection').filter({ hasText: 'Live' }).waitFor()
    await buy()
    const trades = page.getByRole('region', { name: 'Trades', exact: true })
    await trades.getByText('not final yet').waitFor()
    await page.getByText('Faint candles contain trades that are not final yet.').waitFor()
    await page.getByText('Unconfirmed').waitFor()
    // Blocks without an event of the service.
    for (let block = 0; block < 4; block++) await sdk.transact(client, buyer, TRANSFER)
    await page.getByText('All shown trades are final.').waitFor()
    t.equal(await trades.getByText('not final yet').count(), 0)
    t.equal(await page.getByText('Unconfirmed').count(), 0)
    await context.close()
  })

  await t.test('what is read on one device is read on the others', async (t) => {
    const devices = await Promise.all(
      ['', '/notifications'].map(async (path) => {
        const { page, context } = await visit(browser)
        await context.addInitScript("localStorage.setItem('slipway.demo-account', '3')")
        await page.goto(`${service.url}/app${path}`)
        // The creator was notified of the purchase.
        await page.getByRole('link', { name: /^Notifications, \d+ unread$/ }).waitFor()
        return page
      }),
    )
    const [first, second] = devices as [Page, Page]
    await second.getByRole('button', { name: 'Mark all as read' }).click()
    await first.getByRole('link', { name: 'Notifications', exact: true }).waitFor()
    t.equal(await second.getByText(/^New$/).count(), 0)
    for (const page of devices) await page.context().close()
  })

  await t.test('figures of wallets, ranks and risks follow trades', async (t) => {
    const { page: portfolio, context } = await visit(browser)
    await context.addInitScript("localStorage.setItem('slipway.demo-account', '4')")
    const open = async (path: string) => {
      const page = path === '/portfolio' ? portfolio : await context.newPage()
      page.setDefaultTimeout(30_000)
      await page.goto(`${service.url}/app${path}`)
      await page.getByTitle('State of the live connection').filter({ hasText: 'Live' }).waitFor()
      return page
    }
    await open('/portfolio')
    const profile = await open(`/profile/${buyer.account.address}?tab=activity`)
    const leaderboard = await open('/leaderboard')
    const tokenPage = await open(`/token/${token.address}`)
    const trades = (count: number) => ({ hasText: new RegExp(`^Trades${count}$`) })
    const trading = (page: Page) => page.getByRole('region', { name: 'Trading', exact: true }).locator('dl > div')
    const transactions = (page: Page) =>
      page.getByRole('table', { name: 'Transactions, newest first' }).locator('tbody tr')
    const rank = leaderboard.getByRole('table').locator('tbody tr')
    const snipers = tokenPage.getByRole('region', { name: 'Launch', exact: true }).locator('dl > div').first()
    for (const page of [portfolio, profile]) {
      await trading(page).filter(trades(1)).waitFor()
      t.equal(await transactions(page).count(), 1)
    }
    await rank.waitFor()
    await snipers.waitFor()
    const [volume, held] = [await rank.textContent(), await snipers.textContent()]
    await sdk.trade(client, buyer, { token: token.address, side: 'sell', amount: 10n ** 24n })
    for (const page of [portfolio, profile]) {
      await trading(page).filter(trades(2)).waitFor()
      await until(
        () => transactions(page).count(),
        (count) => count === 2,
        'the sale is listed',
      )
    }
    await until(
      () => rank.textContent(),
      (text) => text !== volume,
      'the rank has another volume',
    )
    await until(
      () => snipers.textContent(),
      (text) => text !== held,
      'the snipers hold less',
    )
    await context.close()
  })
})
