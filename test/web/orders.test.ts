import t from 'tap'
import { type Hex, parseEther, toHex } from 'viem'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { announceWallet, connectBrowserWallet, findViolations, openBrowser, visit } from './support/browser.ts'
import { startRewritingProxy } from './support/rewriting-proxy.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const [creator, trader] = [account(1), account(2)]

t.test('a trader gets what is shown, and buys once', { skip }, async (t) => {
  const [chain, browser] = await Promise.all([startChain(t), openBrowser(t)])
  const { contracts } = chain
  const service = await startService(t, { env: { ...chain.env, MAX_LAG_BLOCKS: '100000' } })
  const launch = async (name: string, symbol: string) =>
    createdToken(await chain.send(creator, calls.create(contracts, name, symbol, parseEther('0.1'))))
  const [token, other] = [await launch('Harbour Cat', 'HCAT'), await launch('Other Dog', 'ODOG')]
  await until(
    () => service.request('GET', '/tokens'),
    ({ body }) => body.data.total === 2,
    'both tokens are indexed',
  )
  const visitor = await visit(browser)
  const { page, problems } = visitor
  const sent: { hash: Hex; transaction: object }[] = []
  await announceWallet(visitor, {
    name: 'Mooring Wallet',
    address: trader.address,
    request: async (method, params) => {
      const result = await chain.rpc(method, ...params)
      if (method === 'eth_sendTransaction') sent.push({ hash: result as Hex, transaction: params[0] as object })
      return result
    },
  })
  // Nothing is launched on the last of the launchpads.
  const proxy = await startRewritingProxy(t, service.url)
  proxy.rewrite = (path, body) => {
    if (!path.endsWith('/config')) return body
    const { launchpads } = body.data
    const another = { ...launchpads[0], kind: 'other', address: token, capabilities: ['pool-trade'] }
    return { ...body, data: { ...body.data, launchpads: [...launchpads, another] } }
  }
  // The test moves the page's timers forward instead of waiting for them.
  await page.clock.install()
  const open = (path: string) => page.goto(`${proxy.url}/app${path}`)
  const panel = page.getByRole('region', { name: 'Trade HCAT' }).locator('visible=true')
  const field = panel.getByRole('textbox', { name: 'You pay' })
  const button = panel.getByRole('button', { name: 'Buy HCAT' })
  const enabled = () =>
    until(
      () => button.isEnabled(),
      (isEnabled) => isEnabled,
      'the amount is quoted',
    )
  await open(`/token/${token}`)
  await connectBrowserWallet(page, 'Mooring Wallet')

  await t.test('nothing is bought by the quote of another amount', async (t) => {
    await field.fill('3')
    await panel.getByText('Trade a smaller amount.').waitFor()
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/quote\?/, async (route) => {
      await isReleased
      await route.continue()
    })
    await field.fill('0.01')
    await panel.getByText('Updating…').waitFor()
    t.ok(await button.isDisabled())
    t.equal(await panel.getByText('Trade a smaller amount.').isVisible(), false, 'that was of the former amount')
    t.same(await findViolations(page), [])
    release()
    await panel.getByText('You receive').waitFor()
    t.ok(await button.isEnabled())
    await page.unroute(/\/quote\?/)
  })

  await t.test('a purchase that would yield less than what is shown fails before the wallet is asked', async (t) => {
    // The quote that is shown has no recipient. It stays as it is.
    const isShown = ({ pathname, searchParams }: URL) => pathname.endsWith('/quote') && !searchParams.has('recipient')
    await page.route(isShown, () => {})
    await chain.send(creator, calls.buy(contracts, token, creator.address, parseEther('2')))
    await button.click()
    await panel.getByRole('alert').getByText('The price has changed').waitFor()
    t.equal(sent.length, 0)
    await page.unroute(isShown)
  })

  await t.test('a purchase that is sped up in the wallet is followed', async (t) => {
    await field.fill('0.02')
    await enabled()
    await chain.rpc('evm_setAutomine', false)
    const known = page.waitForResponse(
      (response) => response.request().postData()?.includes('eth_getTransactionByHash') === true,
    )
    await button.click()
    await known
    const [{ transaction, hash } = { transaction: {}, hash: '0x' }] = sent
    const { nonce } = (await chain.rpc('eth_getTransactionByHash', hash)) as { nonce: Hex }
    await chain.rpc('eth_sendTransaction', { ...transaction, nonce, gasPrice: toHex(10n ** 11n) })
    await chain.rpc('evm_mine')
    await chain.rpc('evm_setAutomine', true)
    await panel.getByText(/^Bought [\d.,MK]+ HCAT for 0\.02 ETH/).waitFor()
    t.equal(sent.length, 1)
  })

  await t.test('a purchase that takes too long is not sent again, and can be looked up', async (t) => {
    await field.fill('0.03')
    await enabled()
    await chain.rpc('evm_setAutomine', false)
    const before = sent.length
    await button.click()
    await panel.getByText('Waiting for the block…').waitFor()
    await page.clock.fastForward(125_000)
    const notice = panel.getByRole('alert').filter({ hasText: 'was sent and may still be mined' })
    await notice.waitFor()
    await notice.getByRole('button', { name: 'Copy the hash of the transaction' }).waitFor()
    t.equal(await field.inputValue(), '', 'the form is empty')
    t.ok(await button.isDisabled())
    t.equal(sent.length, before + 1)
    t.same(await findViolations(page), [])
    await chain.rpc('evm_mine')
    await chain.rpc('evm_setAutomine', true)
  })

  await t.test('a quick buy that leaves less than the preset is a success', async (t) => {
    await chain.rpc('anvil_setBalance', trader.address, toHex(parseEther('1.2')))
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Market' }).click()
    await page.getByRole('region', { name: 'Quick buy' }).getByRole('button', { name: '1', exact: true }).click()
    const column = page.getByRole('region', { name: 'Tokens: New' })
    await column.getByRole('button', { name: 'Buy ODOG for 1 ETH' }).click()
    const { promise: isRead, resolve } = Promise.withResolvers<void>()
    await page.route(/\/rpc$/, async (route) => {
      const response = await route.fetch()
      await route.fulfill({ response })
      if (route.request().postData()?.includes('eth_getBalance') && leavesLittle(await response.text())) resolve()
    })
    await page.getByRole('dialog').getByRole('button', { name: 'Buy anyway' }).click()
    await page.getByText(/^Bought [\d.,MK]+ ODOG for 1 ETH/).waitFor()
    await isRead
    await page.unrouteAll({ behavior: 'wait' })
    t.equal(await page.getByText('Beside the network fee you have').count(), 0)
    await column.getByRole('button', { name: 'Buy ODOG for 1 ETH' }).click()
    await page.getByText('Beside the network fee you have').waitFor()
    t.ok(true, 'the next one is not possible')
  })

  await t.test('Enter chooses from the answer for the text that is typed', async (t) => {
    const search = page.getByRole('combobox', { name: 'Search tokens and wallets' })
    await search.fill('HCAT')
    await page.getByRole('option', { name: /Harbour Cat/ }).waitFor()
    await search.fill('ODOG')
    await search.press('Enter')
    await page.waitForURL(`**/token/${other}`)
    await search.fill(token)
    await search.press('Enter')
    await page.waitForURL(`**/token/${token}`)
    const stranger = `0x${'ab'.repeat(20)}`
    await search.fill(stranger)
    await search.press('Enter')
    await page.waitForURL(`**/profile/${stranger}`)
    t.equal(await search.inputValue(), '')
  })

  await t.test('the terms of a launch are those of a launchpad that launches', async (t) => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    await page.route(/\/rpc$/, async (route) => {
      await isReleased
      await route.continue()
    })
    await page.getByRole('link', { name: 'Launch', exact: true }).click()
    const submit = page.getByRole('main').getByRole('button', { name: 'Launch' })
    await submit.waitFor()
    t.ok(await submit.isDisabled(), 'without its terms')
    release()
    await until(
      () => submit.isEnabled(),
      (isEnabled) => isEnabled,
      'the terms are known',
    )
    const costs = page.getByRole('region', { name: 'What it costs' })
    t.ok((await costs.locator('dd').allTextContents()).every((text) => !text.includes('…')))
    await page.unroute(/\/rpc$/)
  })

  await t.test('an unknown price is not 0, and all comments are counted', async (t) => {
    const unknown = { priceUsd: null, priceQuote: null }
    proxy.rewrite = (path, body) => {
      if (path.endsWith(`/tokens/${token}`)) Object.assign(body.data, unknown, { commentCount: 27 })
      if (path.includes(`/tokens/${token}/trades`)) for (const trade of body.data.items) Object.assign(trade, unknown)
      return body
    }
    await page.setViewportSize({ width: 1_920, height: 900 })
    await open(`/token/${token}`)
    await page.getByRole('heading', { name: 'Comments (27)' }).waitFor()
    await page.locator('main header').getByText('– ETH').waitFor()
    const row = page.getByRole('region', { name: 'Trades', exact: true }).locator('tbody tr').first()
    await until(
      async () => (await row.locator('td').allTextContents()).at(-2),
      (price) => price === '–',
      'the price of a trade is unknown',
    )
    t.same(await findViolations(page), [])
  })

  t.same(problems, [])
})

/** Whether a balance that the response contains is below that of a preset. */
function leavesLittle(text: string): boolean {
  const found = [...text.matchAll(/"result":"(0x[0-9a-f]+)"/g)].map(([, hex]) => BigInt(hex ?? '0x'))
  return found.some((amount) => amount > 10n ** 15n && amount < parseEther('0.5'))
}
