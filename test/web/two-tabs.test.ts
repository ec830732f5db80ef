import type { BrowserContext, Page } from 'playwright-core'
import t from 'tap'
import { createWalletClient, http } from 'viem'
import * as sdk from '../../sdk/src/index.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const [HARBORMASTER, TORTOISE_FAN] = [account(1), account(2)].map(({ address }) => address.toLowerCase())

t.test('two tabs of a browser have two accounts', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off' } })
  const read = async (path: string) => (await service.request('GET', path)).body.data
  const client = sdk.createClient({ baseUrl: service.url })
  const creator = createWalletClient({ account: account(3), transport: http(`${service.url}/rpc`) })
  const { token } = await sdk.launch(client, creator, { name: 'Two Tabs', symbol: 'TABS' })
  const browser = await openBrowser(t)

  const change = async (page: Page, name: string) => {
    await page.getByRole('banner').getByRole('button', { name: /^Demo/ }).click()
    await page.getByRole('button', { name: 'Change wallet' }).click()
    await page.getByRole('dialog').getByRole('button', { name }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
  }
  const bell = (page: Page) => page.getByRole('link', { name: /^Notifications/ })
  const enter = async (context: BrowserContext, path: string) => {
    const page = await context.newPage()
    page.setDefaultTimeout(30_000)
    await page.goto(`${service.url}/app${path}`)
    return page
  }
  /** The wallet that the service takes the page for, by the tokens of its own requests. */
  const comment = async (page: Page, text: string) => {
    await page.getByLabel('Your comment').fill(text)
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    const { items } = await until(
      () => read(`/tokens/${token.address}/comments`),
      (list) => list.items.some((one: { text: string }) => one.text === text),
      'the comment is stored',
    )
    return items.find((one: { text: string }) => one.text === text).author.wallet as string
  }

  await t.test('each tab acts as its own account, and neither signs the other out for good', async (t) => {
    const { page: first, context } = await visit(browser)
    await first.goto(`${service.url}/app`)
    await connectDemo(first, 'harbormaster')
    await first.goto(`${service.url}/app/token/${token.address}`)
    await bell(first).waitFor()
    const second = await enter(context, `/token/${token.address}`)
    await bell(second).waitFor()
    const listRequests = (page: Page) => {
      const requests: string[] = []
      page.on('request', (request) => {
        const [, name] = /\/auth\/(nonce|login|logout)$/.exec(request.url()) ?? []
        if (name) requests.push(name)
      })
      return requests
    }
    // The token of the first tab ends with the browser's session that the second tab leaves.
    const ofFirst = listRequests(first)
    await change(second, 'tortoise_fan')
    await bell(second).waitFor()
    const ofSecond = listRequests(second)
    for (const round of [1, 2]) {
      t.equal(await comment(first, `First, ${round}`), HARBORMASTER)
      t.equal(await comment(second, `Second, ${round}`), TORTOISE_FAN)
    }
    t.match(await first.getByRole('banner').textContent(), /harbormaster/)
    t.match(await second.getByRole('banner').textContent(), /tortoise_fan/)
    t.same(ofFirst, ['nonce', 'login'], 'the first tab signs in once')
    t.same(ofSecond, [], 'the second one stays signed in')
    await context.close()
  })

  await t.test('a change of the wallet signs out once, and a late response leaves the new sign-in alone', async (t) => {
    const { page, context } = await visit(browser)
    await page.goto(`${service.url}/app/portfolio`)
    await connectDemo(page, 'harbormaster')
    const order: string[] = []
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    await context.route('**/auth/*', async (route) => {
      const name = route.request().url().split('/').at(-1) as string
      if (name !== 'me') order.push(name)
      if (name === 'logout') await isReleased
      await route.continue()
    })
    await change(page, 'tortoise_fan')
    await until(
      async () => order,
      (names) => names.includes('logout'),
      'the former wallet is signed out',
    )
    release()
    await bell(page).waitFor()
    t.match(await page.getByRole('banner').textContent(), /tortoise_fan/)
    await page.reload()
    await bell(page).waitFor()
    t.same(order, ['logout', 'nonce', 'login', 'refresh'], 'a reload continues the new session')
    await context.close()
  })
})
