import t from 'tap'
import { createWalletClient, type Hex, http, parseEther } from 'viem'
import { raisesAbi } from '../../chain/abi/raises.ts'
import { createClient, postTokenComment, reportComment, signIn } from '../../sdk/src/index.ts'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { startRelay } from '../sdk/support/relay.ts'
import { announceWallet, connectBrowserWallet, findViolations, openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const [creator, trader, operator] = [account(1), account(2), account(5)]
const HOUR = 3_600

t.test('browser wallets trade, moderate and vote', { skip }, async (t) => {
  const [chain, browser] = await Promise.all([startChain(t), openBrowser(t)])
  const { contracts } = chain
  const operators = { ADMIN_WALLETS: operator.address, LABS_WALLETS: operator.address }
  const service = await startService(t, { env: { ...chain.env, ...operators, MAX_LAG_BLOCKS: '100000' } })
  const relay = await startRelay(t, service.url, { socketsOnly: true })
  const launch = async (name: string, symbol: string) =>
    createdToken(await chain.send(creator, calls.create(contracts, name, symbol, parseEther('1'))))
  const token = await launch('Harbour Cat', 'HCAT')
  const hidden = await launch('Bad Fish', 'FISH')
  const buy = async (value: string, of: Hex = token) =>
    (await chain.send(creator, calls.buy(contracts, of, creator.address, parseEther(value)))).transactionHash
  const isIndexed = (txHash: Hex) =>
    until(
      async () => (await service.request('GET', `/tokens/${token}/trades`)).body.data.items,
      (trades: { txHash: Hex }[]) => trades.some((trade) => trade.txHash === txHash),
      'the trade is indexed',
    )

  const [market, desk] = [await visit(browser), await visit(browser)]
  const { page } = market
  for (const [visitor, { address }] of [
    [market, trader],
    [desk, operator],
  ] as const)
    await announceWallet(visitor, {
      name: 'Mooring Wallet',
      address,
      request: (method, params) => chain.rpc(method, ...params),
    })
  // The test moves the page's timers forward instead of waiting for them.
  await page.clock.install()
  const trades = page.getByRole('region', { name: 'Trades', exact: true }).locator('tbody tr')

  await t.test('a wallet that the browser announces is listed, signs in and buys', async (t) => {
    await page.goto(`${relay.url}/app/token/${token}`)
    await trades.first().waitFor()
    await page.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Mooring Wallet' }).waitFor()
    t.equal(await page.getByText('Demo wallets').count(), 0, 'this chain has no demo wallets')
    t.same(await findViolations(page), [])
    await page.keyboard.press('Escape')
    await connectBrowserWallet(page, 'Mooring Wallet')
    const panel = page.getByRole('region', { name: 'Trade HCAT' }).locator('visible=true')
    await panel.getByRole('textbox', { name: 'You pay' }).fill('0.5')
    const accountRequests = await page.evaluate('accountRequests')
    // After a transaction the page requests everything again, the configuration too.
    const refreshed = page.waitForResponse(/\/config$/)
    await panel.getByRole('button', { name: 'Buy HCAT' }).click()
    await panel.getByText(/^Bought [\d.,MK]+ HCAT for 0\.5 ETH/).waitFor()
    await refreshed
    await trades.filter({ hasText: 'you' }).waitFor()
    t.equal(await page.evaluate('accountRequests'), accountRequests, 'the wallet was not connected again')
  })

  await t.test('without its socket the page polls, and shows that it does', async (t) => {
    const status = page.getByTitle('State of the live connection')
    await status.filter({ hasText: 'Live' }).waitFor()
    const count = await trades.count()
    relay.isClosed = true
    relay.cut()
    await status.filter({ hasText: 'Connecting' }).waitFor()
    await page.clock.fastForward(5_000)
    await page.getByRole('status').getByText('figures refresh every few seconds').waitFor()
    t.same(await findViolations(page), [])
    await isIndexed(await buy('0.01'))
    await page.clock.fastForward(10_000)
    await trades.nth(count).waitFor()

    relay.isClosed = false
    await until(
      async () => {
        // Not while the page connects: a socket on which nothing is heard for minutes of its clock is dropped again.
        if (!relay.isUsed) await page.clock.fastForward(1_000)
        return status.textContent()
      },
      (text) => text === 'Live',
      'the page is live again',
    )
    await page.getByText('Live updates are interrupted').waitFor({ state: 'hidden' })
    await buy('0.02')
    await trades.nth(count + 1).waitFor()
  })

  await t.test('a trade that a reorg undid is shown struck through', async (t) => {
    const count = await trades.count()
    await isIndexed(await buy('0.03'))
    await trades.nth(count).waitFor()
    await chain.rpc('anvil_reorg', 1, [])
    const struck = trades.filter({ hasText: 'Retracted' })
    await struck.waitFor()
    t.match(await struck.textContent(), /0\.03/)
    t.match(await struck.locator('td').nth(3).getAttribute('class'), 'line-through')
    t.same(await findViolations(page), [])
  })

  await t.test('an operator hides a token, and it leaves the list of another browser', async (t) => {
    await page.getByRole('link', { name: 'Market' }).click()
    const listed = page.getByRole('region', { name: 'All tokens' }).getByRole('link', { name: 'Bad Fish' })
    await listed.waitFor()
    const { page: office } = desk
    await office.goto(`${service.url}/app/operator`)
    await office.getByText('These pages are for wallets of operators').waitFor()
    await connectBrowserWallet(office, 'Mooring Wallet')
    const section = office.getByRole('region', { name: 'Token', exact: true })
    await section.getByRole('textbox', { name: 'Address of the token' }).fill(hidden)
    await section.getByRole('textbox', { name: 'Reason' }).fill('A copy')
    await section.getByRole('button', { name: 'Hide', exact: true }).click()
    await section.getByText('The token is hidden').waitFor()
    t.same(await findViolations(office), [], 'moderation')
    await buy('0.04')
    await listed.waitFor({ state: 'detached' })

    for (const name of ['Reports', 'Applications', 'Bans', 'Audit log']) {
      await office.getByRole('tab', { name }).click()
      await office.getByRole('tabpanel', { name }).waitFor()
      if (name === 'Audit log') await office.getByRole('row', { name: /hide.*A copy/ }).waitFor()
      t.same(await findViolations(office), [], name)
    }
  })

  await t.test(
    'a raise is opened, featured and filled, a vote decides on its funds, and an opponent leaves',
    async (t) => {
      const { page: office } = desk
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Raises' }).click()
      await page.getByRole('link', { name: 'New raise' }).click()
      await page.getByRole('textbox', { name: 'Title' }).fill('A harbour for cats')
      await page.getByRole('textbox', { name: 'Description' }).fill('Moorings, and fish.')
      await page.getByRole('combobox', { name: 'Token for sale' }).selectOption({ label: 'Harbour Cat (HCAT)' })
      await page.getByRole('textbox', { name: 'Tokens for sale' }).fill('1000')
      await page.getByRole('textbox', { name: 'Minimum goal in ETH' }).fill('4')
      await page.getByRole('textbox', { name: 'Maximum goal in ETH' }).fill('10')
      await page.getByRole('combobox', { name: 'Open for' }).selectOption('1 hour')
      // Before the rules of the contract are known, these are chosen; afterwards the shortest ones.
      await page.getByRole('combobox', { name: 'Votes on a proposal begin' }).selectOption('after 1 day')
      await page.getByRole('combobox', { name: 'Each vote lasts' }).selectOption('3 days')
      t.same(await findViolations(page), [], 'the form')
      await page.getByRole('button', { name: 'Open the raise' }).click()
      await page.getByRole('heading', { level: 1, name: 'A harbour for cats' }).waitFor()

      const id = new URL(page.url()).pathname.split('/').at(-1) as string
      await office.getByRole('tab', { name: 'Moderation' }).click()
      const section = office.getByRole('region', { name: 'Raise', exact: true })
      await section.getByRole('textbox', { name: 'Id of the raise' }).fill(id)
      await section.getByRole('button', { name: 'Feature', exact: true }).click()
      await section.getByText('It is featured').waitFor()
      await office.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Raises' }).click()
      await office.getByRole('listitem').filter({ hasText: 'Featured' }).waitFor()
      t.same(await findViolations(office), [], 'raises')

      await office.getByRole('link', { name: 'A harbour for cats' }).click()
      const part = office.getByRole('region', { name: 'Take part' }).locator('visible=true')
      await part.getByText('at most 25% of them in 1 day').waitFor()
      await part.getByRole('textbox', { name: 'Amount in ETH' }).fill('2')
      await part.getByRole('button', { name: 'Commit' }).click()
      await part.getByText('You committed 2 ETH').waitFor()
      const ofMajority = (functionName: string, args: unknown[], value = 0n) =>
        chain.send(creator, { to: contracts.raises, abi: raisesAbi, functionName, args, value })
      await ofMajority('commit', [1n], parseEther('6'))
      const commitments = page.getByRole('region', { name: 'Commitments', exact: true })
      await commitments.getByRole('row', { name: /2.*25\.0%/ }).waitFor()
      t.same(await findViolations(office), [], 'an open raise')

      // The page's clock is ahead of the chain's by what it was moved before.
      await chain.rpc('evm_increaseTime', 2 * HOUR)
      await chain.rpc('evm_mine')
      await page.clock.fastForward(HOUR * 1_000)
      await page.getByRole('button', { name: 'Finalize the raise' }).locator('visible=true').click()
      const proposals = page.getByRole('region', { name: /^Proposals/ })
      await proposals.getByRole('button', { name: 'Propose', exact: true }).click()
      await proposals.getByRole('textbox', { name: 'Title' }).fill('Build the pier')
      await proposals.getByRole('textbox', { name: 'Amount in ETH' }).fill('2')
      await proposals.getByRole('button', { name: 'Propose the release' }).click()
      await proposals.getByRole('heading', { name: 'Build the pier' }).waitFor()
      const passTime = async (seconds: number) => {
        await chain.rpc('evm_increaseTime', seconds)
        await chain.rpc('evm_mine')
      }
      await passTime(24 * HOUR)
      // A page whose clock is behind the chain's reads the raise again with its next transaction.
      await ofMajority('vote', [1n, 1])
      const vote = office.getByRole('group', { name: 'Vote on Build the pier' })
      await vote.getByRole('button', { name: 'Vote for' }).click()
      await office.getByText('You voted for with 2 ETH').waitFor()
      await vote.getByRole('button', { name: 'Vote against' }).click()
      await office.getByText('You voted against with 2 ETH').waitFor()
      t.same(await findViolations(office), [], 'a raise with a proposal')
      await passTime(72 * HOUR)
      await ofMajority('claim', [1n])
      await office.getByText('Passed', { exact: true }).waitFor()
      t.equal(await office.getByRole('button', { name: 'Execute' }).count(), 0, 'not before others could leave')
      t.same(await findViolations(office), [], 'an exit window')
      await office.getByRole('button', { name: 'Leave with 2 ETH' }).click()
      await office.getByText('You committed 2 ETH, and left with your share').locator('visible=true').waitFor()
      await office.getByText('Release 1.5 ETH of 2').waitFor()
    },
  )

  await t.test('an operator unhides a comment, and bans its author after a question', async (t) => {
    const { page: office } = desk
    const writer = createClient({ baseUrl: service.url })
    await signIn(writer, createWalletClient({ account: account(3), transport: http(chain.url) }))
    const { id } = await postTokenComment(writer, { path: { address: token }, body: { text: 'Fish for all' } })
    const critic = createClient({ baseUrl: service.url })
    await signIn(critic, createWalletClient({ account: account(4), transport: http(chain.url) }))
    await reportComment(critic, { path: { id }, body: { reason: 'spam' } })
    const isVisible = async () =>
      (await service.request('GET', `/tokens/${token}/comments`)).body.data.items.some(
        (comment: { id: string; hidden: boolean }) => comment.id === id && !comment.hidden,
      )
    await office.goto(`${service.url}/app/operator?tab=reports`)
    await office.getByRole('heading', { level: 1, name: 'Operator' }).waitFor()
    await office.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).click()
    await office.getByRole('dialog').getByRole('button', { name: 'Mooring Wallet' }).click()
    const report = office.getByRole('listitem').filter({ hasText: 'Fish for all' })
    await report.getByRole('button', { name: 'Hide the comment' }).click()
    await report.waitFor({ state: 'detached' })
    t.notOk(await isVisible())
    await office.getByRole('button', { name: 'Upheld' }).click()
    await report.getByRole('button', { name: 'Unhide the comment' }).click()
    await report.getByRole('button', { name: 'Hide the comment' }).waitFor()
    t.ok(await isVisible())
    await report.getByRole('button', { name: 'Ban the author' }).click()
    const dialog = office.getByRole('dialog', { name: 'Ban this author?' })
    await dialog.waitFor()
    t.same(await findViolations(office), [], 'the question')
    await dialog.getByRole('button', { name: 'Close' }).click()
    t.ok(await report.getByRole('button', { name: 'Ban the author' }).isEnabled())
    await report.getByRole('button', { name: 'Ban the author' }).click()
    await dialog.getByRole('button', { name: 'Ban the author' }).click()
    await report.getByRole('button', { name: 'Author is banned' }).waitFor()
    await dialog.waitFor({ state: 'hidden' })
  })

  await t.test('neither browser reported an error', async (t) => {
    // The browser itself reports each WebSocket that it cannot open.
    const isExpected = (problem: string) => problem.includes('WebSocket connection to')
    t.same(
      market.problems.filter((problem) => !isExpected(problem)),
      [],
    )
    t.same(desk.problems, [])
  })
})
