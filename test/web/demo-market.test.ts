import sharp from 'sharp'
import t from 'tap'
import { type Address, createPublicClient, erc20Abi, formatEther, http } from 'viem'
import { formatPrice } from '../../sdk/src/helpers/index.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, findViolations, openBrowser, visit } from './support/browser.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const HARBORMASTER = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const MOSSY = '0x14dc79964da2c08b23698b3d3cc7ca32193d9955'

t.test('demo wallets trade in two browsers', { skip }, async (t) => {
  // Contracts without a market: all that happens is what the test does.
  const service = await startService(t, { env: { MARKET: 'off' } })
  const browser = await openBrowser(t)
  const creator = await visit(browser)
  const trader = await visit(browser, { colorScheme: 'light', viewport: { width: 390, height: 844 } })
  const { page } = creator

  await t.test('a visitor sees an empty market and connects a demo wallet', async (t) => {
    await page.goto(service.url)
    t.equal(new URL(page.url()).pathname, '/app')
    await page.getByText('No token has been launched yet').waitFor()
    t.same(await findViolations(page), [])
    await connectDemo(page, 'harbormaster')
  })

  await t.test('browser storage and readable cookies hold no access token', async (t) => {
    const stored = JSON.stringify(
      await page.evaluate('({ ...localStorage, ...sessionStorage, cookie: document.cookie })'),
    )
    t.notMatch(stored, /ey[\w-]+\.ey/, 'nor does it store any')
  })

  await t.test('launches a token with an image and an initial buy', async (t) => {
    await page.getByRole('link', { name: 'Launch' }).click()
    const image = await sharp({ create: { width: 64, height: 64, channels: 3, background: '#c33' } })
      .png()
      .toBuffer()
    await page.getByLabel('Image of the token').setInputFiles({ name: 'cat.png', mimeType: 'image/png', buffer: image })
    await page.getByRole('textbox', { name: 'Name' }).fill('Browser <b>Cat</b>')
    await page.getByRole('textbox', { name: 'Symbol' }).fill('BCAT')
    await page.getByRole('textbox', { name: 'Description' }).fill('<img src=x onerror=alert(1)>')
    await page.getByRole('textbox', { name: 'Website' }).fill('https://cat.example.org')
    await page.getByRole('textbox', { name: 'Initial buy in ETH' }).fill('0.2')
    t.same(await findViolations(page), [])
    await page.getByRole('main').getByRole('button', { name: 'Launch' }).click()
    await page.waitForURL(/\/app\/token\/0x/)
    await page.getByRole('heading', { level: 1, name: 'Browser <b>Cat</b>' }).waitFor()
    await until(
      () => page.locator('main header img').getAttribute('src'),
      (source) => /\/uploads\/[0-9a-f]{64}\.webp$/.test(String(source)),
      'the image is that of the upload',
    )
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    t.pass('text of strangers is text')
    const head = await (await fetch(page.url())).text()
    t.match(head, /<title>Browser &lt;b&gt;Cat&lt;\/b&gt; \(BCAT\)/)
    t.match(head, /<meta property="og:image" content="[^"]+\/og\/token\/0x[0-9a-f]{40}">/)
  })

  await t.test('a second browser sees a trade and the chart move at once', async (t) => {
    await trader.page.goto(page.url())
    const rows = page.getByRole('region', { name: 'Trades' }).locator('tbody tr')
    const others = trader.page.getByRole('region', { name: 'Trades' }).locator('tbody tr')
    await others.first().waitFor()
    t.equal(await others.count(), 1, 'the initial buy')
    const chart = trader.page.getByRole('img', { name: /^Price chart/ })
    const before = await chart.getAttribute('aria-label')

    const panel = page.getByRole('region', { name: 'Trade BCAT' }).locator('visible=true')
    await panel.getByRole('textbox', { name: 'You pay' }).fill('0.5')
    await panel.getByText('You receive').waitFor()
    await panel.getByRole('button', { name: 'Buy BCAT' }).click()
    await panel.getByText(/^Bought [\d.,MK]+ BCAT for 0\.5 ETH/).waitFor()
    for (const trades of [others, rows])
      await until(
        () => trades.count(),
        (count) => count === 2,
        'the trade is in the list',
      )
    await others
      .first()
      .filter({ hasText: /Buy.*harbormaster/ })
      .waitFor()
    await until(
      () => chart.getAttribute('aria-label'),
      (label) => label !== before,
      'the chart says the new price',
    )
    for (const name of ['1s', 'Market cap']) await trader.page.getByRole('button', { name, exact: true }).click()
    await trader.page.getByRole('img', { name: /^Market cap chart of BCAT in US dollars, 1s candles/ }).waitFor()
  })

  await t.test('the second wallet sells what it bought, and cannot spend more than it has', async (t) => {
    await connectDemo(trader.page, 'mossy')
    const panel = trader.page.getByRole('region', { name: 'Trade BCAT' }).locator('visible=true')
    const client = createPublicClient({ transport: http(`${service.url}/rpc`) })
    const token = new URL(page.url()).pathname.split('/').at(-1) as Address
    /** So much can be spent, and not a unit more. */
    const expectLimit = async (field: string, name: string, limit: bigint, above = limit + 1n) => {
      const input = panel.getByRole('textbox', { name: field })
      const button = panel.getByRole('button', { name })
      await input.fill(formatEther(above))
      await panel.getByText(/you have /i).waitFor()
      t.ok(await button.isDisabled(), `${field}: more than the limit`)
      await input.fill(formatEther(limit))
      await panel.getByText(/you have /i).waitFor({ state: 'hidden' })
      await until(
        () => button.isEnabled(),
        (isEnabled) => isEnabled,
        `${field}: the limit is quoted`,
      )
    }
    const coins = await client.getBalance({ address: MOSSY })
    // The price of gas changes with each block.
    const fee = 130_000n * (await client.getGasPrice())
    await expectLimit('You pay', 'Buy BCAT', coins - 4n * fee, coins - fee)
    await panel.getByRole('button', { name: '0.1 ETH' }).click()
    await panel.getByRole('button', { name: 'Buy BCAT' }).click()
    await panel.getByText(/^Bought/).waitFor()
    const position = trader.page.getByRole('region', { name: 'Your position' })
    await until(
      () => position.getByText('Balance').locator('xpath=following-sibling::*').first().textContent(),
      (text) => text !== null && !/^[0–]$/.test(text),
      'the position has what was bought',
    )
    await position.getByText('Unrealized P&L').waitFor()
    await panel.getByRole('button', { name: 'sell', exact: true }).click()
    const held = { address: token, abi: erc20Abi, functionName: 'balanceOf', args: [MOSSY] } as const
    await expectLimit('You sell', 'Sell BCAT', await client.readContract(held))
    await panel.getByRole('button', { name: '100 %' }).click()
    await panel.getByRole('button', { name: 'Sell BCAT' }).click()
    await panel.getByText(/^Sold/).waitFor()
    t.equal(await client.readContract(held), 0n, '100 % is all of it')
    const shown = trader.page.getByRole('region', { name: 'Trades' }).locator('tbody tr')
    const count = () => shown.count()
    const choose = (name: string) =>
      trader.page.getByRole('group', { name: 'Trades shown' }).getByRole('button', { name }).click()
    await trader.page.getByRole('button', { name: 'Mine' }).click()
    await until(count, (rows) => rows === 2, 'its purchase and its sale')
    t.match(await shown.allTextContents(), [/Sell.*mossy/, /Buy.*mossy/])
    await choose('Sells')
    await until(count, (rows) => rows === 1, 'its sale')
    const least = trader.page.getByRole('textbox', { name: '≥ ETH' })
    await least.fill('1')
    await trader.page.getByText('No such trades').waitFor()
    await least.fill('')
    await trader.page.getByRole('button', { name: 'Trades of all wallets' }).click()
    await choose('All')
    await until(count, (rows) => rows === 4, 'all trades')
    await page
      .getByRole('region', { name: 'Trades' })
      .getByRole('row', { name: /Sell.*mossy/ })
      .waitFor()
    t.same(await findViolations(trader.page), [], 'on a phone, in the light theme')
  })

  await t.test('comments, replies and likes arrive in the other browser', async (t) => {
    await page.getByRole('textbox', { name: 'Your comment' }).fill('First <script>alert(1)</script>')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    const comment = trader.page.getByRole('article').filter({ hasText: 'First <script>alert(1)</script>' })
    await comment.waitFor()
    await trader.page.getByRole('heading', { name: 'Comments (1)' }).waitFor()
    await comment.getByRole('button', { name: 'Like, 0 likes' }).click()
    await comment.getByRole('button', { name: 'Unlike, 1 like' }).waitFor()
    await comment.getByRole('button', { name: 'Reply' }).click()
    await trader.page.getByRole('textbox', { name: 'Your reply' }).fill('Second')
    await trader.page.locator('form').getByRole('button', { name: 'Reply' }).click()
    await page.getByRole('article').filter({ hasText: 'Second' }).waitFor()
    t.same(await findViolations(page), [])
  })

  await t.test('a watched token is on the watchlist until it is taken from it', async (t) => {
    const { page: other } = trader
    const portfolio = new URL('/app/portfolio', service.url).href
    await other.getByRole('button', { name: 'Watch BCAT, 0 watchers' }).click()
    await other.getByRole('button', { name: 'Unwatch BCAT, 1 watcher' }).waitFor()
    await other.goto(portfolio)
    const list = other.getByRole('region', { name: 'Watchlist' })
    await list.getByRole('link', { name: 'Browser <b>Cat</b>' }).click()
    await other.getByRole('button', { name: 'Unwatch BCAT, 1 watcher' }).click()
    await other.getByRole('button', { name: 'Watch BCAT, 0 watchers' }).waitFor()
    await other.goto(portfolio)
    await list.getByText('You watch no tokens').waitFor()
    t.same(await findViolations(other), [])
    await other.goto(page.url())
  })

  await t.test('an alert triggers by a trade of another wallet, and is deleted', async (t) => {
    const { page: other } = trader
    await other.getByRole('button', { name: 'Alerts about BCAT' }).click()
    const dialog = other.getByRole('dialog')
    await dialog.getByRole('combobox', { name: 'Notify me when' }).selectOption('Market cap rises to')
    await dialog.getByRole('button', { name: 'Create alert' }).click()
    await dialog.getByText('Enter a number above 0.').waitFor()
    await dialog.getByRole('textbox', { name: 'US dollars' }).fill('1,5')
    await dialog.getByRole('button', { name: 'Create alert' }).click()
    const alerts = dialog.getByRole('region', { name: 'Your alerts' })
    await alerts.getByText('Market cap rises to $1.50').waitFor()
    await alerts.getByText('Waiting').waitFor()
    t.same(await findViolations(other), [])

    const panel = page.getByRole('region', { name: 'Trade BCAT' }).locator('visible=true')
    await panel.getByRole('textbox', { name: 'You pay' }).fill('0.01')
    await panel.getByRole('button', { name: 'Buy BCAT' }).click()
    await alerts.getByText('Triggered').waitFor()
    const toast = other.getByRole('region', { name: 'New notifications' })
    await toast.getByText('Market cap rises to $1.50: Browser <b>Cat</b> (BCAT)').waitFor()
    await alerts.getByRole('button', { name: 'Delete the alert: BCAT, Market cap rises to $1.50' }).click()
    await alerts.waitFor({ state: 'detached' })
    await dialog.getByRole('button', { name: 'Close' }).click()
    await toast.locator('p').first().waitFor({ state: 'detached' })

    const chart = other.getByRole('region', { name: 'Chart' })
    for (const [part, condition] of [
      [0.02, 'Price rises to'],
      [0.7, 'Price falls to'],
    ] as const) {
      const image = chart.getByRole('img')
      await image.scrollIntoViewIfNeeded()
      const box = (await image.boundingBox())!
      await other.mouse.dblclick(box.x + box.width / 2, box.y + box.height * part)
      t.equal(await dialog.locator('option:checked').first().textContent(), condition)
      const written = await dialog.getByRole('textbox', { name: 'US dollars' }).inputValue()
      await dialog.getByRole('button', { name: 'Create alert' }).click()
      await alerts.getByText(`${condition} $${formatPrice(Number(written))}`).waitFor()
      await dialog.getByRole('button', { name: 'Close' }).click()
      await chart.getByRole('img', { name: new RegExp(`Your alerts: .*${formatPrice(Number(written))}`) }).waitFor()
    }
    await other.goto(new URL('/app/notifications', service.url).href)
    await other.getByText('Market cap rises to $1.50: Browser <b>Cat</b> (BCAT)').waitFor()
    await other.goto(page.url())
  })

  await t.test('the activity is that of everyone or of those whom one follows, and goes on by itself', async (t) => {
    const { page: other } = trader
    const items = other.getByRole('region', { name: 'Activity' }).getByRole('listitem')
    const has = (text: RegExp) => items.filter({ hasText: text }).first().waitFor()
    await other.goto(new URL('/app/activity', service.url).href)
    await has(/harbormaster launched Browser <b>Cat<\/b> \(BCAT\)/)
    await has(/mossy commented on .*Second/)
    t.same(await findViolations(other), [])
    await other.getByRole('button', { name: 'Following' }).click()
    await other.getByText('Follow traders and creators').waitFor()
    await other.goto(new URL(`/app/profile/${HARBORMASTER}`, service.url).href)
    await other.getByRole('button', { name: 'Follow', exact: true }).click()
    await other.getByRole('button', { name: 'Following', exact: true }).waitFor()
    await other.goto(new URL('/app/activity?scope=following', service.url).href)
    await has(/harbormaster.*bought Browser <b>Cat<\/b> \(BCAT\).*[MK] BCAT for 0\.5 ETH \(\$1\.5K\)/)
    t.equal(await items.filter({ hasText: 'mossy' }).count(), 0, 'who is not followed')

    const before = await items.count()
    const panel = page.getByRole('region', { name: 'Trade BCAT' }).locator('visible=true')
    await panel.getByRole('textbox', { name: 'You pay' }).fill('0.02')
    await panel.getByRole('button', { name: 'Buy BCAT' }).click()
    await until(
      () => items.count(),
      (count) => count === before + 1,
      'the trade is in the feed',
    )
    t.match(await items.first().textContent(), /BCAT for 0\.02 ETH/)
    await other.goto(page.url())
  })

  await t.test('the creator splits the fees, sees the split, and transfers the fee right', async (t) => {
    const dialog = page.getByRole('dialog')
    const openDialog = async () => {
      await page.getByRole('button', { name: 'Split the fees of Browser <b>Cat</b>' }).click()
      await dialog.getByRole('region', { name: 'Present split' }).waitFor()
      return dialog.getByRole('listitem').allTextContents()
    }
    await page.getByRole('link', { name: 'Portfolio', exact: true }).click()
    t.same(await openDialog(), ['harbormaster100%'])
    t.same(await findViolations(page), [])
    const recipients = dialog.getByRole('textbox', { name: 'Recipients' })
    t.equal(await recipients.inputValue(), '')
    await recipients.fill(`${HARBORMASTER} 60`)
    await dialog.getByRole('button', { name: 'Split' }).click()
    await dialog.getByText('The shares are 60 % together, not 100 %.').waitFor()
    await recipients.fill(`${HARBORMASTER} 60\n${MOSSY} 39.5\n${HARBORMASTER} 0.5`)
    await dialog.getByRole('button', { name: 'Split' }).click()
    await dialog.waitFor({ state: 'hidden' })
    t.same(await openDialog(), ['harbormaster60%', 'mossy39.50%', 'harbormaster0.50%'])
    t.equal(await recipients.inputValue(), `${HARBORMASTER} 60\n${MOSSY} 39.5\n${HARBORMASTER} 0.5`)

    await dialog.getByText('Give the right to the fees away').click()
    const owner = dialog.getByRole('textbox', { name: 'New owner' })
    await owner.fill('mossy')
    await dialog.getByRole('button', { name: 'Transfer the right for good' }).click()
    await dialog.getByText('mossy is not an address.').waitFor()
    await owner.fill(MOSSY)
    await dialog.getByRole('button', { name: 'Transfer the right for good' }).click()
    await dialog.waitFor({ state: 'hidden' })
    t.same(await openDialog(), ['mossy100%'])
    await dialog.getByText('The right to these fees belongs to mossy, who alone can split them.').waitFor()
    t.equal(await recipients.count(), 0)
    await page.keyboard.press('Escape')
    const own = page.getByRole('region', { name: 'Launched tokens' }).getByRole('row', { name: 'Browser <b>Cat</b>' })
    await own.getByRole('cell', { name: '0%', exact: true }).waitFor()
    t.match(await service.request('GET', `/portfolio?wallet=${MOSSY}`), {
      body: { data: { feeShares: [{ name: 'Browser <b>Cat</b>', feeShareBps: 10_000, ownsFeeRight: true }] } },
    })
  })

  await t.test('the form of a raise offers the short voting periods that the demo contract allows', async (t) => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Raises' }).click()
    await page.getByRole('link', { name: 'New raise' }).click()
    const times = async (name: string) => {
      const field = page.getByRole('combobox', { name })
      return [await field.locator('option').first().textContent(), await field.inputValue()]
    }
    await page.getByRole('option', { name: 'at once' }).waitFor({ state: 'attached' })
    t.same(await times('Votes on a proposal begin'), ['at once', '0'])
    t.same(await times('Each vote lasts'), ['1 hour', '3600'])
  })

  await t.test('every screen is free of accessibility violations', async (t) => {
    await page.getByRole('link', { name: 'Market' }).click()
    await page.getByRole('region', { name: 'All tokens' }).getByRole('link', { name: 'Browser <b>Cat</b>' }).waitFor()
    t.same(await findViolations(page), [], 'market')
    await page.getByRole('combobox').fill('bca')
    await page.getByRole('option', { name: /Browser <b>Cat<\/b>/ }).waitFor()
    t.same(await findViolations(page), [], 'search results')
    await page.keyboard.press('Escape')
    for (const name of ['Activity', 'Raises', 'Staking', 'Leaderboard', 'Portfolio']) {
      await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name }).click()
      await page.getByRole('heading', { level: 1, name }).waitFor()
      t.same(await findViolations(page), [], name)
    }
    await page.getByRole('link', { name: /^Notifications/ }).click()
    await page.getByText('liked your comment').waitFor()
    t.same(await findViolations(page), [], 'notifications')
    await page.getByRole('button', { name: /harbormaster/ }).click()
    await page.getByRole('link', { name: 'Profile', exact: true }).click()
    await page.getByRole('tab', { name: 'Launched (1)' }).waitFor()
    t.same(await findViolations(page), [], 'profile')
  })

  await t.test('neither browser reported an error', async (t) => {
    t.same(creator.problems, [])
    t.same(trader.problems, [])
  })
})
