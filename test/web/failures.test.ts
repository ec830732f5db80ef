import t from 'tap'
import { createWalletClient, http } from 'viem'
import * as sdk from '../../sdk/src/index.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const BLOCKED_STORAGE = `for (const name of ['localStorage', 'sessionStorage'])
  Object.defineProperty(window, name, { get() { throw new DOMException('Access is denied', 'SecurityError') } })`

t.test('the client copes with failures and says what failed', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off' } })
  const client = sdk.createClient({ baseUrl: service.url })
  const creator = createWalletClient({ account: account(3), transport: http(`${service.url}/rpc`) })
  await sdk.launch(client, creator, {
    ...{ name: 'Frail Cat', symbol: 'FRAIL', initialBuy: sdk.parseUnits('0.01', 18) },
  })
  const browser = await openBrowser(t)

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
})
