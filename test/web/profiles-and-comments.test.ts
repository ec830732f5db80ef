import sharp from 'sharp'
import t from 'tap'
import { createWalletClient, http } from 'viem'
import * as sdk from '../../sdk/src/index.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, findViolations, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const MOSSY = account(7).address.toLowerCase()
const MEGABYTE = 1024 * 1024

t.test('forms keep what was typed, keep the focus, and say what is missing', { skip }, async (t) => {
  const wallet = account(1).address.toLowerCase()
  const service = await startService(t, { env: { MARKET: 'off', ADMIN_WALLETS: wallet } })
  const client = sdk.createClient({ baseUrl: service.url })
  const creator = createWalletClient({ account: account(3), transport: http(`${service.url}/rpc`) })
  const { token } = await sdk.launch(client, creator, { name: 'Frail Cat', symbol: 'FRAIL' })
  const browser = await openBrowser(t)
  const { page } = await visit(browser)
  await page.goto(`${service.url}/app/token/${token.address}`)
  await connectDemo(page, 'harbormaster')
  const main = page.getByRole('main')
  const button = (name: string | RegExp) => main.getByRole('button', { name, exact: true })
  const field = (name: string) => main.getByRole('textbox', { name, exact: true })
  const open = (path: string) => page.goto(`${service.url}/app${path}`)
  const hasFocus = (selector: string) => page.locator(`${selector}:focus`).waitFor()
  const fits = async () => {
    t.same(await findViolations(page), [])
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      t.same(await findLayoutFaults(page), [], `${width} px`)
    }
  }

  await t.test('what is typed while a comment is posted stays', async (t) => {
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const path = `**/tokens/${token.address}/comments`
    await page.route(path, async (route) => {
      if (route.request().method() === 'POST') await released
      await route.continue()
    })
    await field('Your comment').fill('First.')
    await button('Comment').click()
    await button('Posting…').waitFor()
    await field('Your comment').fill('First. Second.')
    release()
    await main.getByRole('article').getByText('First.', { exact: true }).waitFor()
    await until(
      () => field('Your comment').inputValue(),
      (text) => text === 'Second.',
      'the rest is in the field',
    )
    await page.unroute(path)
    t.same(await findViolations(page), [])
  })

  await t.test('the focus stays where a comment was posted, and the end is announced', async (t) => {
    await button('Comment').click()
    await main.getByRole('article').getByText('Second.', { exact: true }).waitFor()
    await main.getByRole('status').getByText('Comment posted.').waitFor({ state: 'attached' })
    await hasFocus('main textarea')
    const reply = main.getByRole('article').filter({ hasText: 'First.' }).getByRole('button', { name: 'Reply' }).first()
    t.equal(await reply.getAttribute('aria-expanded'), 'false')
    await reply.click()
    t.equal(await reply.getAttribute('aria-expanded'), 'true')
    await page.keyboard.type('Third.')
    t.equal(await field('Your reply').inputValue(), 'Third.', 'the reply has the focus')
    await field('Your reply').locator('xpath=ancestor::form').getByRole('button', { name: 'Reply' }).click()
    await main.getByRole('status').getByText('Reply posted.').waitFor({ state: 'attached' })
    await hasFocus('main article button[aria-expanded=false]')
    await main.getByRole('article').filter({ hasText: 'Third.' }).getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete for good' }).click()
    await main.getByRole('status').getByText('Comment deleted.').waitFor({ state: 'attached' })
    await hasFocus('#comments')
  })

  await t.test('an initial buy of 0 is none', async () => {
    await open('/launch')
    await field('Name').fill('Free Cat')
    await field('Symbol').fill('FREE')
    await field('Initial buy in ETH').fill('0')
    await button('Launch').click()
    await page.getByRole('heading', { level: 1, name: 'Free Cat' }).waitFor()
  })

  await t.test('the form of a new raise keeps its fields over a reload', async (t) => {
    await open('/raises/new')
    await field('Title').fill('The pier')
    await field('Minimum goal in ETH').fill('2')
    await main.getByRole('combobox', { name: 'Open for' }).selectOption('3 days')
    await page.reload()
    t.equal(await field('Title').inputValue(), 'The pier')
    t.equal(await field('Minimum goal in ETH').inputValue(), '2')
    t.equal(await main.getByRole('combobox', { name: 'Open for' }).inputValue(), '259200')
  })

  await t.test('the forms of operators say what they take, and a ban asks first', async (t) => {
    await open('/operator')
    const form = main.getByRole('region', { name: 'Wallet' })
    await form.getByRole('textbox', { name: 'Address of the wallet' }).fill('0x123')
    await form.getByRole('button', { name: 'Ban', exact: true }).click()
    await form.getByText('Enter an address: 0x and 40 digits.').waitFor()
    await fits()
    await form.getByRole('textbox', { name: 'Address of the wallet' }).fill(MOSSY)
    const dialog = page.getByRole('dialog', { name: 'Ban this wallet?' })
    const operator = sdk.createClient({ baseUrl: service.url })
    await sdk.signIn(operator, createWalletClient({ account: account(1), transport: http(`${service.url}/rpc`) }))
    const bans = async () => (await sdk.listBans(operator)).items
    await form.getByRole('button', { name: 'Ban', exact: true }).click()
    await dialog.getByText('mossy').waitFor()
    await dialog.getByText('0x14dc…9955').waitFor()
    await fits()
    await page.keyboard.press('Escape')
    t.same(await bans(), [], 'not before it is confirmed')
    await form.getByRole('button', { name: 'Ban', exact: true }).click()
    await dialog.getByRole('button', { name: 'Ban the wallet' }).click()
    await form.getByText('The wallet is banned.').waitFor()
    t.match(await bans(), [{ wallet: MOSSY }])
    await form.getByRole('button', { name: 'Unban' }).click()
    await form.getByText('The wallet is not banned.').waitFor()
  })

  await t.test('the image of a profile is checked when it is chosen, shown, and removed', async (t) => {
    const avatar = async () => (await service.request('GET', `/profiles/${wallet}`)).body.data.avatarUrl
    const picture = sharp({ create: { width: 64, height: 64, channels: 3, background: '#c33' } })
    const buffer = await picture.png().toBuffer()
    const input = page.getByLabel('Image of your profile')
    const choose = (name: string, content: Buffer) =>
      input.setInputFiles({ name, mimeType: 'image/png', buffer: content })
    await open(`/profile/${wallet}`)
    await button('Edit profile').click()
    await main.getByText('Shown instead of your address: 3 to 20 letters a to z, digits and underscores').waitFor()
    await choose('large.png', Buffer.concat([buffer, Buffer.alloc(6 * MEGABYTE)]))
    await main.getByText('large.png is larger than 5\u00a0MB.').waitFor()
    await choose('cat.png', buffer)
    await main.getByRole('img', { name: 'Preview' }).waitFor()
    await button('Save').click()
    await input.waitFor({ state: 'detached' })
    t.match(await avatar(), /\.webp$/)
    await button('Edit profile').click()
    await main.getByRole('img', { name: 'Preview' }).waitFor()
    await fits()
    await button('Remove the image').click()
    await button('Save').click()
    await input.waitFor({ state: 'detached' })
    t.equal(await avatar(), null)
  })
})
