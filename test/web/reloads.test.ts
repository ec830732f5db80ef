import type { Page, Route } from 'playwright-core'
import sharp from 'sharp'
import t from 'tap'
import { account } from '../acceptance/support/chain.ts'
import { startService } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, findViolations, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const isSending = (route: Route) => route.request().postData()?.includes('eth_sendRawTransaction') ?? false

/** Keeps requests from the service until `release`. `reached` resolves with the first. */
async function hold(page: Page, path: string | RegExp, isHeld: (route: Route) => boolean = () => true) {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  await page.route(path, async (route) => {
    if (isHeld(route)) {
      reach()
      await released
    }
    // The page of a held request may be gone.
    await route.continue().catch(() => {})
  })
  return {
    reached,
    release: async () => {
      await page.unroute(path)
      release()
    },
  }
}

t.test('a transaction under way survives reloads and navigation', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off' } })
  const browser = await openBrowser(t)
  const { page } = await visit(browser)
  await page.goto(`${service.url}/app`)
  await connectDemo(page, 'harbormaster')
  const wallet = account(1).address.toLowerCase()
  const main = page.getByRole('main')
  const button = (name: string) => main.getByRole('button', { name, exact: true })
  const field = (name: string | RegExp) => main.getByRole('textbox', { name })
  const tray = page.getByRole('region', { name: 'Your transactions' })
  const goTo = (name: string) => page.getByRole('banner').getByRole('link', { name, exact: true }).click()
  const launched = async (name: string) => {
    const { body } = await service.request('GET', `/profiles/${wallet}/created`)
    return body.data.items.filter((one: { name: string }) => one.name === name)
  }
  const fillLaunch = async (name: string) => {
    await goTo('Launch')
    await field('Name').fill(name)
    await field('Symbol').fill('AFLOAT')
    await field('Description').fill('Kept over a reload.')
    await field('X').fill('https://x.com/afloat')
  }
  const fits = async () => {
    t.same(await findViolations(page), [])
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      t.same(await findLayoutFaults(page), [], `${width} px`)
    }
  }

  await t.test('the page asks before it is left while the wallet is asked', async (t) => {
    await fillLaunch('Asked Cat')
    const sending = await hold(page, '**/rpc', isSending)
    await button('Launch').click()
    await sending.reached
    const asked = page.waitForEvent('dialog')
    const left = page.reload({ timeout: 5_000 }).catch(() => 'stayed')
    const dialog = await asked
    t.equal(dialog.type(), 'beforeunload')
    await dialog.dismiss()
    await sending.release()
    await page.getByRole('heading', { level: 1, name: 'Asked Cat' }).waitFor()
    await left
    const questions: string[] = []
    page.on('dialog', (one) => {
      questions.push(one.type())
      void one.accept()
    })
    await page.reload()
    t.same(questions, [], 'and not afterwards')
  })

  await t.test('a launch that is reloaded goes on, once and with its texts', async (t) => {
    await fillLaunch('Reloaded Cat')
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#c33' } })
    const buffer = await picture.png().toBuffer()
    await page.getByLabel('Image of the token').setInputFiles({ name: 'cat.png', mimeType: 'image/png', buffer })
    const syncing = await hold(page, '**/tokens/create')
    await button('Launch').click()
    await syncing.reached
    await page.reload()
    await main.getByText('Launch of Reloaded Cat is under way: it was sent').waitFor()
    await tray.getByText('Launch of Reloaded Cat').waitFor()
    t.ok(await button('Launch').isDisabled())
    t.ok(await field('Name').isDisabled())
    await fits()
    await syncing.release()
    await page.getByRole('heading', { level: 1, name: 'Reloaded Cat' }).waitFor()
    const [token, ...others] = await launched('Reloaded Cat')
    t.same(others, [])
    t.match(token, { description: 'Kept over a reload.', links: { twitter: 'https://x.com/afloat' } })
    t.match(token.imageUrl, /\.webp$/)
    await goTo('Launch')
    t.equal(await field('Name').inputValue(), '', 'the draft is gone')
  })

  await t.test('a launch whose page is left says how it ended', async (t) => {
    await fillLaunch('Left Cat')
    const syncing = await hold(page, '**/tokens/create')
    await button('Launch').click()
    await syncing.reached
    await goTo('Market')
    await tray.getByText('Launch of Left Cat Indexing…').waitFor()
    await goTo('Launch')
    await main.getByText('Launch of Left Cat is under way').waitFor()
    t.ok(await button('Launch').isDisabled())
    await goTo('Market')
    await syncing.release()
    await tray.getByText('Launch of Left Cat succeeded.').waitFor()
    await fits()
    await tray.getByRole('link', { name: 'Open the token' }).click()
    await page.getByRole('heading', { level: 1, name: 'Left Cat' }).waitFor()
    t.equal((await launched('Left Cat')).length, 1)
  })

  await t.test('a launch can be discarded', async (t) => {
    await fillLaunch('Discarded Cat')
    const syncing = await hold(page, '**/tokens/create')
    await button('Launch').click()
    await syncing.reached
    await page.reload()
    await button('Discard it, and change the form').click()
    await syncing.release()
    t.ok(await field('Name').isEnabled())
    t.ok(await button('Launch').isEnabled())
    await button('Launch').click()
    await page.getByRole('heading', { level: 1, name: 'Discarded Cat' }).waitFor()
    t.equal((await launched('Discarded Cat')).length, 1, 'and leads to its token when it is sent again')
  })

  await t.test('a trade that is reloaded says how it ended', async () => {
    await field('You pay').fill('0.01')
    const waiting = await hold(page, /\/(buy|rpc)$/, (route) => {
      const { url, body } = { url: route.request().url(), body: route.request().postData() ?? '' }
      return url.endsWith('/buy') || body.includes('eth_getTransactionReceipt')
    })
    await button('Buy AFLOAT').click()
    await waiting.reached
    await page.reload()
    await tray.getByText('Buy of AFLOAT was sent. Waiting for its result…').waitFor()
    await waiting.release()
    await tray.getByText('Buy of AFLOAT succeeded.').waitFor()
  })
})
