import t from 'tap'
import { createWalletClient, http, parseEther } from 'viem'
import * as sdk from '../../sdk/src/index.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, findViolations, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const NAME = 'חתול (5) טוב!'
const SYMBOL = 'חתול'
const TEXT = 'مرحبا، انظر (SHIP).'

/** Texts of which the first letter is of a script from right to left, in an element from left to right; and how many are right. */
const FIND_GARBLED = `(() => {
  const garbled = []
  let right = 0
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  while (texts.nextNode()) {
    const { textContent, parentElement } = texts.currentNode
    const [letter] = textContent.match(/\\p{L}/u) ?? []
    if (!letter || !/[\\u0590-\\u08ff]/.test(letter) || parentElement.closest('title, script, option, [aria-hidden=true]')) continue
    const { direction, unicodeBidi } = getComputedStyle(parentElement)
    if (direction === 'rtl' && unicodeBidi !== 'normal') right += 1
    else garbled.push(parentElement.outerHTML.slice(0, 160))
  }
  return { garbled, right }
})()`

t.test('names and texts from right to left keep their direction among others', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off' } })
  const client = sdk.createClient({ baseUrl: service.url })
  const wallet = createWalletClient({ account: account(1), transport: http(`${service.url}/rpc`) })
  await sdk.signIn(client, wallet)
  const { token } = await sdk.launch(client, wallet, {
    ...{ name: NAME, symbol: SYMBOL, initialBuy: parseEther('0.1'), description: TEXT },
  })
  const { page, problems } = await visit(await openBrowser(t))
  const open = (path: string) => page.goto(`${service.url}/app${path}`)
  await open('')
  await connectDemo(page, 'harbormaster')
  await open(`/token/${token.address}`)
  await page.getByRole('textbox', { name: 'Your comment' }).fill(TEXT)
  t.equal(await page.getByRole('textbox', { name: 'Your comment' }).getAttribute('dir'), 'auto')
  await page.getByRole('button', { name: 'Comment', exact: true }).click()
  await page.getByRole('article').getByText(TEXT).waitFor()

  const isRight = async (screen: string) => {
    const { garbled, right } = await page.evaluate<{ garbled: string[]; right: number }>(FIND_GARBLED)
    t.same(garbled, [], screen)
    t.ok(right > 0, `${screen} shows the name`)
    t.same(await findViolations(page), [], screen)
    for (const width of [390, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      t.same(await findLayoutFaults(page), [], `${screen}, ${width} px`)
    }
  }
  await isRight('token')
  const shown = page.getByRole('main').getByText(SYMBOL, { exact: true }).locator('visible=true').first()
  for (const [path, screen] of [
    ['', 'market'],
    ['?view=columns', 'columns'],
    ['/activity', 'activity'],
    ['/portfolio', 'portfolio'],
    [`/profile/${account(1).address}`, 'profile'],
  ] as const) {
    await open(path)
    await shown.waitFor()
    await isRight(screen)
  }
  await open('')
  await page.getByRole('combobox', { name: 'Search tokens and wallets' }).fill(SYMBOL)
  await page.getByRole('option').getByText(SYMBOL, { exact: true }).waitFor()
  await isRight('search')
  await open('/launch')
  for (const [field, text] of [
    ['Name', NAME],
    ['Symbol', 'כלב'],
    ['Description', TEXT],
  ] as const)
    await page.getByRole('textbox', { name: field }).fill(text)
  await isRight('launch')
  t.same(problems, [])
})
