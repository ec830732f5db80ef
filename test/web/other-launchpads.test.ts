import t from 'tap'
import { parseEther } from 'viem'
import { account, calls, startChain } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { miningOnRequest } from '../support/chain-fixture.ts'
import { deployClankerV31 } from '../support/launchpads/clanker-v31.ts'
import { deployV3Periphery } from '../support/launchpads/v3-periphery.ts'
import { deployVenue } from '../support/launchpads/venue.ts'
import { announceWallet, connectBrowserWallet, findViolations, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const WIDTHS = [360, 390, 820, 1440]
const [creator, trader] = [account(1), account(2)]

t.test('tokens of two launchpads are shown together, and traded in a pool of Uniswap V3', { skip }, async (t) => {
  const [chain, browser] = await Promise.all([startChain(t), openBrowser(t)])
  const { venue, clanker, periphery, token } = await miningOnRequest(chain.url, async (host) => {
    const venue = await deployVenue(host, chain.contracts.weth)
    const clanker = await deployClankerV31(host, venue)
    const periphery = await deployV3Periphery(host, venue)
    const launch = { name: 'Sloop', symbol: 'SLP', value: parseEther('0.5') }
    return { venue, clanker, periphery, ...(await clanker.createToken(host.accounts[1]!, launch)) }
  })
  const deployments = [
    ...JSON.parse(chain.env.DEPLOYMENTS!),
    { kind: 'clanker-v31', address: clanker.address, startBlock: 0 },
    { kind: 'uniswap-v3-factory', address: venue.factory, startBlock: 0 },
    ...periphery.deployments,
  ]
  const env = { ...chain.env, DEPLOYMENTS: JSON.stringify(deployments), MAX_LAG_BLOCKS: '100000' }
  const service = await startService(t, { env })
  await chain.send(creator, calls.create(chain.contracts, 'Harbour Cat', 'HCAT', parseEther('1')))
  const list = () => service.request('GET', '/tokens')
  await until(list, ({ body }) => body.data.total === 2, 'both tokens are indexed')

  const visitor = await visit(browser, { viewport: { width: 1440, height: 900 } })
  const { page, problems } = visitor
  await announceWallet(visitor, {
    name: 'Mooring Wallet',
    address: trader.address,
    request: (method, params) => chain.rpc(method, ...params),
  })
  await page.goto(`${service.url}/app`)
  const table = page.getByRole('region', { name: /^All tokens/ })
  await table.getByText('SLP · Clanker v3.1').waitFor()
  await table.getByText('HCAT · Slipway').waitFor()
  const graduated = page.getByRole('region', { name: 'Graduated' })
  await graduated.getByText('Clanker v3.1', { exact: true }).waitFor()
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    t.same(await findLayoutFaults(page), [], `home at ${width}`)
  }
  t.same(await findViolations(page), [])

  await page
    .getByRole('button', { name: /^Filter/ })
    .first()
    .click()
  await page.getByRole('button', { name: 'Clanker v3.1', exact: true }).click()
  await table.getByText('HCAT · Slipway').waitFor({ state: 'hidden' })
  t.equal(await table.locator('tbody tr').count(), 1)

  await page.goto(`${service.url}/app/leaderboard?period=all`)
  // One wallet has traded on both.
  const rows = page.getByRole('region', { name: 'Traders' }).locator('tbody tr')
  const readRow = async () => ((await rows.count()) === 1 ? ((await rows.textContent()) ?? '') : '')
  const chosen = page.getByRole('combobox', { name: 'Launchpad' })
  await rows.waitFor()
  const onAll = await readRow()
  for (const figure of ['Volume', 'Profit'])
    await page.getByRole('columnheader', { name: `${figure} in ETH` }).waitFor()
  t.same(await chosen.locator('option').allTextContents(), ['All launchpads', 'Slipway', 'Clanker v3.1'])
  await chosen.selectOption('Clanker v3.1')
  const isOther =
    (...former: string[]) =>
    (text: string) =>
      text !== '' && !former.includes(text)
  const onClanker = await until(readRow, isOther(onAll), 'the trades on Clanker v3.1 are shown')
  t.match(page.url(), /[?&]launchpad=clanker-v31/)
  await page.reload()
  await until(readRow, (text) => text === onClanker, 'the URL keeps the choice')
  await chosen.selectOption('Slipway')
  await until(readRow, isOther(onAll, onClanker), 'the trades on Slipway are shown')
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    t.same(await findLayoutFaults(page), [], `leaderboard at ${width}`)
  }
  t.same(await findViolations(page), [])

  await page.goto(`${service.url}/app/token/${token}`)
  await connectBrowserWallet(page, 'Mooring Wallet')
  const panel = page.getByRole('region', { name: 'Trade SLP' }).locator('visible=true')
  await panel.getByRole('textbox', { name: 'You pay' }).fill('0.5')
  await panel.getByRole('button', { name: 'Buy SLP' }).click()
  await panel.getByText(/^Bought [\d.,BMK]+ SLP for 0\.5 ETH/).waitFor()
  await panel.getByRole('button', { name: 'sell' }).click()
  await panel.getByRole('textbox', { name: 'You sell' }).fill('1000000')
  await panel.getByRole('button', { name: 'Sell SLP' }).click()
  await panel.getByText(/^Sold [\d.,BMK]+ SLP for/).waitFor()
  const { body } = await service.request('GET', `/tokens/${token}/trades`)
  const [sold, bought] = body.data.items as { side: string; trader: string; tokenAmount: string; quoteAmount: string }[]
  const wallet = trader.address.toLowerCase()
  t.match(sold, { side: 'sell', trader: wallet, tokenAmount: String(parseEther('1000000')) })
  t.match(bought, { side: 'buy', trader: wallet, quoteAmount: String(parseEther('0.5')) })
  for (const width of WIDTHS) {
    await page.setViewportSize({ width, height: 900 })
    t.same(await findLayoutFaults(page), [], `token at ${width}`)
  }
  t.same(await findViolations(page), [])
  t.same(problems, [])
})
