import t from 'tap'
import { createWalletClient, http } from 'viem'
import * as sdk from '../../sdk/src/index.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { startRelay } from '../sdk/support/relay.ts'
import { announceWallet, connectDemo, findViolations, openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const LEADERBOARD = /\/leaderboard\?/
const BLOCKED_STORAGE = `for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied', 'SecurityError') } })`

t.test('the client copes with failures and says what failed', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off' } })
  const client = sdk.createClient({ baseUrl: service.url })
  const creator = createWalletClient({ account: account(3), transport: http(`${service.url}/rpc`) })
  const { token } = await sdk.launch(client, creator, {
    ...{ name: 'Frail Cat', symbol: 'FRAIL', initialBuy: sdk.parseUnits('0.01', 18) },
  })
  const browser = await openBrowser(t)
  const path = `/app/token/${token.address}`

  await t.test('without storage the client works until the page is left', async (t) => {
    const { page, context, problems } = await visit(browser)
    await context.addInitScript(BLOCKED_STORAGE)
    await page.goto(`${service.url}/app`)
    await connectDemo(page, 'harbormaster')
    const bar = page.getByRole('banner')
    await bar.getByRole('button', { name: /^Theme: auto/ }).click()
    await bar.getByRole('button', { name: /^Theme: light/ }).waitFor()
    await page
      .getByRole('link', { name: /Frail Cat/ })
      .first()
      .click()
    await page.getByRole('heading', { level: 1, name: 'Frail Cat' }).waitFor()
    t.same(problems, [])
    await context.close()
  })

  await t.test('a wallet that refuses to connect leaves the former one signed in', async (t) => {
    const visitor = await visit(browser)
    const { page, context } = visitor
    let isRefusing = true
    await announceWallet(visitor, {
      name: 'Refusing Wallet',
      address: account(4).address,
      request: (method) => (method === 'eth_chainId' ? '0x7a69' : null),
    })
    await context.exposeFunction('refuses', () => isRefusing)
    await context.addInitScript(`addEventListener('eip6963:announceProvider', ({ detail: { provider } }) => {
      const { request } = provider
      provider.request = async (call) => {
        if (/^(eth_requestAccounts|wallet_requestPermissions)$/.test(call.method) && (await refuses()))
          throw Object.assign(new Error('User rejected the request.'), { code: 4001 })
        return request(call)
      }
    }, true)`)
    await page.goto(`${service.url}/app`)
    await connectDemo(page, 'harbormaster')
    let departures = 0
    context.on('request', (request) => {
      if (request.url().endsWith('/auth/logout')) departures += 1
    })
    const bar = page.getByRole('banner')
    const dialog = page.getByRole('dialog')
    await bar.getByRole('button', { name: /harbormaster/ }).click()
    await page.getByRole('button', { name: 'Change wallet' }).click()
    await dialog.getByRole('button', { name: 'Refusing Wallet' }).click()
    await dialog.getByRole('alert').getByText('The request was declined in the wallet.').waitFor()
    await page.keyboard.press('Escape')
    await page.getByRole('link', { name: /^Notifications/ }).waitFor()
    t.match(await bar.textContent(), /harbormaster/)
    t.equal(departures, 0)

    isRefusing = false
    await bar.getByRole('button', { name: /harbormaster/ }).click()
    await page.getByRole('button', { name: 'Change wallet' }).click()
    await dialog.getByRole('button', { name: 'Refusing Wallet' }).click()
    await dialog.waitFor({ state: 'hidden' })
    await bar.getByRole('button', { name: /^0x/ }).waitFor()
    await bar.getByRole('link', { name: /^Notifications/ }).waitFor({ state: 'hidden' })
    t.equal(departures, 1, 'the session of the former one ends with it')
    await context.close()
  })

  const { page, context, problems } = await visit(browser)
  await page.goto(`${service.url}/app`)
  await connectDemo(page, 'harbormaster')
  await page.goto(service.url + path)

  await t.test('a selection of text that ends outside of a dialog keeps it open', async () => {
    await page.getByRole('button', { name: 'Alerts about FRAIL' }).click()
    const dialog = page.getByRole('dialog')
    const field = dialog.getByRole('textbox', { name: 'US dollars' })
    await field.fill('12345')
    const box = await field.boundingBox()
    if (!box) throw new Error('The field is not shown')
    await page.mouse.move(box.x + 20, box.y + box.height / 2)
    await page.mouse.down()
    await page.mouse.move(5, box.y)
    await page.mouse.up()
    t.equal(await field.inputValue(), '12345')
    await page.mouse.click(5, box.y)
    await dialog.waitFor({ state: 'hidden' })
  })

  await t.test('an alert shows how its figure was read, and refuses an ambiguous one', async (t) => {
    await page.goto(service.url + path)
    await page.getByRole('button', { name: 'Alerts about FRAIL' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Notify me when' }).selectOption('capAbove')
    const field = dialog.getByRole('textbox', { name: 'US dollars' })
    const create = dialog.getByRole('button', { name: 'Create alert' })
    await field.fill('100,000')
    await create.click()
    await dialog.getByText('Write 100000 without commas.').waitFor()
    t.same(await findViolations(page), [])
    await field.fill('100k')
    await dialog.getByText('Market cap rises to $100K').waitFor()
    const warning = dialog.getByText('This is so already: the next trade will trigger the alert.')
    t.equal(await warning.count(), 0)
    await field.fill('1')
    await warning.waitFor()
    await field.fill('100k')
    await create.click()
    await dialog.getByRole('listitem').getByText('Market cap rises to $100K').waitFor()
    await dialog.getByRole('combobox', { name: 'Notify me when' }).selectOption('fall')
    await dialog.getByRole('textbox', { name: 'Percent' }).fill('2,5')
    await dialog.getByText('Price falls by 2.5% in 1 hour').waitFor()
    await page.keyboard.press('Escape')
  })

  await t.test('a button without a form shows why it failed', async (t) => {
    await page.goto(service.url + path)
    const failing = /\/(watchlists|tokens\/0x\w+\/like|follows|alerts)(\/|$)/
    await context.route(failing, (route) =>
      route.request().method() === 'GET'
        ? route.continue()
        : route.fulfill({
            status: 403,
            headers: { 'x-error-reason': 'WALLET_BANNED' },
            json: { success: false, data: null, error: 'This wallet is banned' },
          }),
    )
    const message = page.getByRole('alert').getByText('This wallet is banned.')
    const press = async (name: string | RegExp) => {
      await page.getByRole('button', { name }).first().click()
      await message.waitFor()
      t.same(await findViolations(page), [], String(name))
      await page.getByRole('button', { name: 'Dismiss' }).click()
      await message.waitFor({ state: 'hidden' })
    }
    await press(/^Watch FRAIL/)
    await press(/^Like FRAIL/)
    await page.getByRole('button', { name: 'Alerts about FRAIL' }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByRole('button', { name: /^Delete the alert/ }).click()
    await dialog.getByRole('alert').getByText('This wallet is banned.').waitFor()
    await page.keyboard.press('Escape')
    await page.goto(`${service.url}/app/profile/${account(3).address}`)
    await press('Follow')
    await press('Notify me of its trades')
    await context.unroute(failing)
    t.same(
      problems.filter((problem) => !/status of 403/.test(problem)),
      [],
    )
  })

  await t.test('a page that waits for the quota says so, and placeholders have a name', async (t) => {
    const { page, context } = await visit(browser)
    await page.clock.install()
    let isLimited = true
    const limited = new RegExp(`/(config|tokens/${token.address})$`, 'i')
    await page.route(limited, (route) =>
      isLimited
        ? route.fulfill({
            status: 429,
            headers: { 'retry-after': '20', 'x-error-reason': 'RATE_LIMITED' },
            json: { success: false, data: null, error: 'Too many requests' },
          })
        : route.continue(),
    )
    const waiting = page.getByRole('status').getByText(/^Too many requests; trying again in (1\d|20) s/)
    await page.goto(service.url + path)
    await waiting.waitFor()
    t.same(await findViolations(page), [], 'without the configuration')
    await page.unroute(limited)
    const others = new RegExp(`/(raises\\?|tokens/${token.address}$)`, 'i')
    await page.route(others, (route) =>
      isLimited
        ? route.fulfill({ status: 429, headers: { 'retry-after': '20' }, json: { success: false } })
        : route.continue(),
    )
    await page.clock.fastForward(21_000)
    await page.getByText('Loading the token…').waitFor({ state: 'attached' })
    await waiting.waitFor()
    t.same(await findViolations(page), [], 'without the token')
    isLimited = false
    await page.clock.fastForward(21_000)
    await page.getByRole('heading', { level: 1, name: 'Frail Cat' }).waitFor()
    await waiting.waitFor({ state: 'hidden' })
    await context.close()
  })

  await t.test('a search that cannot be sent or fails says so, and is repeated', async (t) => {
    const { page, context } = await visit(browser)
    await page.goto(`${service.url}/app`)
    const field = page.getByRole('combobox', { name: 'Search tokens and wallets' })
    const filter = page.getByLabel('Filter by name, symbol or address')
    const failure = page.getByRole('alert').filter({ hasText: 'This could not be loaded' })
    await field.waitFor()
    await filter.waitFor()
    await page.getByTitle('State of the live connection').filter({ hasText: 'Live' }).waitFor()
    await context.setOffline(true)
    await field.fill('frail')
    await failure.getByText('The browser is offline.').waitFor()
    await filter.fill('frail c')
    await page.getByRole('main').getByText('The browser is offline.').waitFor()
    await field.focus()
    await context.setOffline(false)
    await page.getByRole('option', { name: /Frail Cat/ }).waitFor()
    t.equal(await failure.count(), 0)

    const searches = /\/search\?/
    await page.route(searches, (route) => route.fulfill({ status: 400, json: { success: false, error: 'x' } }))
    await field.fill('frail cat')
    await failure.waitFor()
    t.same(await findViolations(page), [])
    await page.unroute(searches)
    await field.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('option', { name: /Frail Cat/ }).waitFor()
    await context.close()
  })

  await t.test('screens that are opened offline say so, and load when the browser is online again', async (t) => {
    const { page, context } = await visit(browser)
    await page.goto(`${service.url}/app`)
    await page.getByTitle('State of the live connection').filter({ hasText: 'Live' }).waitFor()
    // The chunks of the screens are loaded while the browser is idle.
    await page.waitForLoadState('networkidle')
    const main = page.getByRole('main')
    const failure = main.getByRole('alert').filter({ hasText: 'This could not be loaded' })
    const link = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name })
    for (const [name, loaded] of [
      ['Leaderboard', main.getByRole('table').first()],
      ['Staking', main.getByText('There are no staking pools')],
      ['Raises', main.getByText('There are no such raises')],
    ] as const) {
      await context.setOffline(true)
      await link(name).click()
      await failure.getByText('The browser is offline.').first().waitFor()
      t.same(await findViolations(page), [], name)
      await context.setOffline(false)
      await loaded.waitFor()
      t.equal(await failure.count(), 0, name)
    }
    await context.close()
  })

  await t.test('a screen that could not be loaded is requested again when the service responds', async (t) => {
    const relay = await startRelay(t, service.url, { socketsOnly: true })
    const { page } = await visit(browser)
    await page.goto(`${relay.url}/app`)
    await page.getByTitle('State of the live connection').filter({ hasText: 'Live' }).waitFor()
    relay.isClosed = true
    relay.cut()
    await page.route(LEADERBOARD, (route) => route.fulfill({ status: 400, json: { success: false, error: 'x' } }))
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Leaderboard' }).click()
    await page.getByText('This could not be loaded').first().waitFor()
    await page.unroute(LEADERBOARD)
    relay.isClosed = false
    await page.locator('main tbody tr').first().waitFor()
    t.equal(await page.getByText('This could not be loaded').count(), 0)
  })
})
