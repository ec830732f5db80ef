import sharp from 'sharp'
import t from 'tap'
import { createWalletClient, http, parseEther } from 'viem'
import { formatAmount, readBalances, readGasPrice } from '../../sdk/src/helpers/index.ts'
import * as sdk from '../../sdk/src/index.ts'
import { account } from '../acceptance/support/chain.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, findViolations, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

t.test('forms use what they show, and figures say what they are', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off' } })
  const client = sdk.createClient({ baseUrl: service.url })
  const wallet = createWalletClient({ account: account(2), transport: http(`${service.url}/rpc`) })
  await sdk.signIn(client, wallet)
  const { token } = await sdk.launch(client, wallet, {
    ...{ name: 'Label Cat', symbol: 'LCAT', initialBuy: parseEther('0.01') },
  })
  const creator = createWalletClient({ account: account(1), transport: http(`${service.url}/rpc`) })
  const signedIn = sdk.createClient({ baseUrl: service.url })
  await sdk.signIn(signedIn, creator)
  const { token: own } = await sdk.launch(signedIn, creator, {
    ...{ name: 'Own Cat', symbol: 'OWN', description: 'A cat', links: { website: 'https://cat.example' } },
  })
  const browser = await openBrowser(t)
  const { page, problems } = await visit(browser)
  const open = (path: string) => page.goto(`${service.url}/app${path}`)
  const passes = async (t: { same(found: unknown, wanted: unknown, message: string): unknown }) => {
    t.same(await findViolations(page), [], 'accessible')
    t.same(await findLayoutFaults(page), [], 'of the width of the page')
  }
  await open('')
  await connectDemo(page, 'harbormaster')

  await t.test('price changes name their asset', async (t) => {
    await page.getByRole('columnheader', { name: '24h in ETH' }).waitFor()
    await open(`/token/${token.address}`)
    await page.locator('main header').getByText('24h in ETH').waitFor()
    await passes(t)
  })

  await t.test('the narrowest phones show a token without scrolling sideways, and labels in one line', async (t) => {
    await page.setViewportSize({ width: 320, height: 700 })
    await open(`/token/${token.address}`)
    await page.getByRole('group', { name: 'Interval' }).waitFor()
    await passes(t)
    const links = page.getByRole('navigation', { name: 'Quick navigation' }).getByRole('link')
    for (const link of await links.all()) {
      const lines = await page.evaluate<number, string>(
        `(() => {
          const range = document.createRange()
          range.selectNodeContents([...document.querySelectorAll('nav[aria-label="Quick navigation"] a')].find(
            (one) => one.textContent === ${JSON.stringify(await link.textContent())}).lastChild)
          return range.getClientRects().length
        })()`,
        '',
      )
      t.equal(lines, 1, (await link.textContent()) ?? '')
    }
    await page.setViewportSize({ width: 1280, height: 900 })
  })

  await t.test('a creator edits the details of a token, and nobody else is offered to', async (t) => {
    await open(`/token/${token.address}`)
    const about = page.getByRole('region', { name: 'About' })
    await about.waitFor()
    t.equal(await about.getByRole('button', { name: 'Edit the details' }).count(), 0)
    await open(`/token/${own.address}`)
    await about.getByRole('button', { name: 'Edit the details' }).click()
    await about.getByRole('textbox', { name: 'Telegram' }).fill('https://example.org')
    await about.getByText('The Telegram link must be').waitFor()
    await passes(t)
    await about.getByRole('textbox', { name: 'Telegram' }).fill('@own_cat')
    await about.getByRole('textbox', { name: 'Website' }).fill('')
    await about.getByRole('textbox', { name: 'Description' }).fill('A better cat')
    await about.getByRole('button', { name: 'Save' }).click()
    await about.getByRole('paragraph').getByText('A better cat').waitFor()
    await about.getByRole('button', { name: 'Edit the details' }).waitFor()
    const { body } = await service.request('GET', `/tokens/${own.address}`)
    t.match(body.data.links, { website: null, telegram: 'https://t.me/own_cat' })
    await open(`/token/${token.address}`)
  })

  await t.test('a creator sees what a token earned, and claims it on its page', async (t) => {
    const revenue = async () => (await service.request('GET', `/tokens/${own.address}/revenue`)).body.data.items[0]
    const fees = page.getByRole('region', { name: 'Your creator fees' })
    const figure = (name: string) => fees.locator('dl > div').filter({ hasText: name }).locator('dd').textContent()
    await open(`/token/${token.address}`)
    await page.getByRole('region', { name: 'About' }).waitFor()
    t.equal(await fees.count(), 0, 'not of the token of another creator')
    await open(`/token/${own.address}`)
    t.ok(await fees.getByRole('button', { name: 'Nothing to claim yet' }).isDisabled())
    t.equal(await fees.getByRole('link').getAttribute('href'), '/app/portfolio')
    await sdk.trade(client, wallet, { token: own.address, side: 'buy', amount: parseEther('0.2') })
    const { earned } = await revenue()
    const amount = formatAmount(earned)
    await fees.getByRole('button', { name: `Claim ${amount} ETH` }).waitFor()
    t.same(await Promise.all(['Earned in ETH', 'Claimed', 'To claim'].map(figure)), [amount, '0', amount])
    await passes(t)
    await fees.getByRole('button', { name: /^Claim/ }).click()
    await fees.getByText('The fees were claimed.').waitFor()
    await until(
      () => Promise.all(['Earned in ETH', 'Claimed', 'To claim'].map(figure)),
      (shown) => shown.join() === [amount, amount, '0'].join(),
      'the figures say so',
    )
    t.match(await revenue(), { earned, claimed: earned, unclaimed: '0' })
    await open(`/token/${token.address}`)
  })

  await t.test('nothing is bought with another slippage than the one that is shown', async (t) => {
    const panel = page.getByRole('region', { name: 'Trade LCAT' }).locator('visible=true')
    const slippage = panel.getByRole('textbox', { name: 'Slippage tolerance' })
    const button = panel.getByRole('button', { name: 'Buy LCAT' })
    const isEnabled = (wanted: boolean, what: string) =>
      until(
        () => button.isEnabled(),
        (enabled) => enabled === wanted,
        what,
      )
    const type = async (text: string) => {
      await slippage.fill('')
      await slippage.pressSequentially(text)
    }
    await panel.getByRole('textbox', { name: 'You pay' }).fill('0.01')
    await isEnabled(true, 'the amount is quoted')
    for (const text of ['55', '100', '0', 'abc', '1.234', '']) {
      await type(text)
      await panel.getByText('Enter a percentage from 0.01 to 50.').waitFor()
      t.equal(await button.isEnabled(), false, text)
      await slippage.blur()
      t.equal(await slippage.inputValue(), text, 'it is still shown')
    }
    await passes(t)
    await Promise.all([page.waitForRequest(/slippageBps=1250/), type('12,5')])
    await isEnabled(true, 'the amount is quoted again')
    await slippage.blur()
    await page.reload()
    t.equal(await slippage.inputValue(), '12.5')
  })

  await t.test('all of the balance but the network fee can be paid', async (t) => {
    await open(`/token/${token.address}`)
    const panel = page.getByRole('region', { name: 'Trade LCAT' }).locator('visible=true')
    const max = panel.getByRole('button', { name: 'Max' })
    await max.click()
    const typed = parseEther(await panel.getByRole('textbox', { name: 'You pay' }).inputValue())
    const { native } = await readBalances(client, account(1).address, [])
    const fee = sdk.GRADUATION_GAS * (await readGasPrice(client))
    t.ok(
      typed < native - fee && typed > native - parseEther('0.1'),
      `${typed} of ${native}, enough to complete the curve`,
    )
    t.equal(await panel.getByText('Beside the network fee you have').count(), 0)
    await passes(t)
    await panel.getByRole('button', { name: 'sell', exact: true }).click()
    t.equal(await max.count(), 0)
  })

  await t.test('a launch with a symbol that is taken is warned of', async (t) => {
    await open('/launch')
    const symbol = page.getByRole('textbox', { name: 'Symbol' })
    const notice = page.getByText('This symbol is taken')
    // The С is Cyrillic.
    for (const taken of ['LCAT', 'l\u0421at']) {
      await symbol.fill(taken)
      await notice.waitFor()
      t.match(await notice.textContent(), 'Label Cat (LCAT)')
      await passes(t)
      await symbol.fill('LCATS')
      await notice.waitFor({ state: 'detached' })
    }
    await symbol.fill('')
  })

  await t.test('quick buys keep a slippage that is valid when it is saved', async (t) => {
    await open('')
    const bar = page.getByRole('region', { name: 'Quick buy' })
    await bar.getByRole('button', { name: 'Edit the amounts' }).click()
    const dialog = page.getByRole('dialog', { name: 'Quick buy' })
    const save = dialog.getByRole('button', { name: 'Save' })
    await dialog.getByRole('textbox', { name: 'Slippage tolerance' }).fill('55')
    await save.click()
    await dialog.getByText('Enter a percentage from 0.01 to 50.').waitFor()
    await dialog.getByRole('textbox', { name: 'Slippage tolerance' }).fill('3')
    await save.click()
    await bar.getByText('3% slippage').waitFor()
    t.ok(true, 'shown by the bar')
  })

  await t.test('a chart of seconds has seconds on its axis', async (t) => {
    await page.addInitScript(`{
      globalThis.drawn = []
      const { fillText } = CanvasRenderingContext2D.prototype
      CanvasRenderingContext2D.prototype.fillText = function (text, ...rest) {
        globalThis.drawn.push(text)
        return fillText.call(this, text, ...rest)
      }
    }`)
    const trade = { token: token.address, side: 'buy', amount: parseEther('0.01'), slippageBps: 5_000 } as const
    for (let count = 0; count < 3; count++) await sdk.trade(client, wallet, trade)
    const times = () => page.evaluate<string[]>('drawn.filter((text) => /^[0-9]{2}:[0-9]{2}/.test(text))')
    await open(`/token/${token.address}?interval=1s`)
    await page.getByRole('img', { name: /1s candles/ }).waitFor()
    await until(times, (texts) => texts.length > 0, 'the axis is drawn')
    await until(times, (texts) => texts.some((text) => text.length === 8), 'with seconds')
    t.ok(true)
  })

  await t.test('a comment is deleted after a confirmation', async (t) => {
    await page.getByRole('textbox', { name: 'Your comment' }).fill('Too early')
    await page.getByRole('button', { name: 'Comment', exact: true }).click()
    const comment = page.getByRole('article').filter({ hasText: 'Too early' })
    const dialog = page.getByRole('dialog', { name: 'Delete this comment?' })
    await comment.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.waitFor()
    await passes(t)
    await dialog.getByRole('button', { name: 'Close' }).click()
    t.ok(await comment.isVisible())
    await comment.getByRole('button', { name: 'Delete', exact: true }).click()
    await dialog.getByRole('button', { name: 'Delete for good' }).click()
    await comment.waitFor({ state: 'detached' })
  })

  await t.test('the bell counts to 99, and its name has the count that it shows', async (t) => {
    let unreadCount = 150
    await page.route(/\/notifications(\?|$)/, async (route) => {
      const response = await route.fetch()
      const body = await response.json()
      await route.fulfill({ response, json: { ...body, data: { ...body.data, unreadCount } } })
    })
    for (const [count, shown] of [
      [150, '99+'],
      [7, '7'],
    ] as const) {
      unreadCount = count
      await open('')
      const bell = page.getByRole('link', { name: `Notifications, ${shown} unread` })
      await bell.waitFor()
      t.equal(await bell.textContent(), shown)
      await findViolations(page)
      const found = await page.evaluate(
        "axe.run('header', { runOnly: { type: 'rule', values: ['label-content-name-mismatch'] } }).then(({ violations }) => violations)",
      )
      t.same(found, [])
    }
    await page.unrouteAll({ behavior: 'wait' })
  })

  const field = (name: string) => page.getByRole('textbox', { name })
  await t.test('the draft of a launch survives a reload', async (t) => {
    await open('/launch')
    await field('Name').fill('Draft Cat')
    await field('Symbol').fill('DCAT')
    await page.reload()
    t.equal(await field('Name').inputValue(), 'Draft Cat')
    t.equal(await field('Symbol').inputValue(), 'DCAT')
  })

  await t.test('a file that is no image is refused when it is chosen', async (t) => {
    await open('/launch')
    const choose = (name: string, buffer: Buffer) =>
      page.getByLabel('Image of the token').setInputFiles({ name, mimeType: 'image/png', buffer })
    const refusal = page.getByText('vector.png is no PNG, JPEG, WebP or GIF image.')
    const picture = sharp({ create: { width: 8, height: 8, channels: 3, background: '#c33' } })
    for (const type of ['gif', 'jpeg', 'webp', 'png'] as const) {
      await choose('vector.png', Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))
      await refusal.waitFor()
      if (type === 'gif') await passes(t)
      await choose('picture.png', await picture.clone().toFormat(type).toBuffer())
      await refusal.waitFor({ state: 'detached' })
    }
    t.ok(await page.getByRole('img', { name: 'Preview', exact: true }).isVisible())
  })

  await t.test('links are completed as people write them', async (t) => {
    await open('/launch')
    for (const [name, written, completed] of [
      ['Website', 'cat.example/about', 'https://cat.example/about'],
      ['X', 'x.com/harbour_cat', 'https://x.com/harbour_cat'],
      ['X', '@harbour_cat', 'https://x.com/harbour_cat'],
      ['Telegram', '@harbour_cat', 'https://t.me/harbour_cat'],
      ['Discord', 'discord.gg/cat', 'https://discord.gg/cat'],
      ['Discord', '@harbour_cat', '@harbour_cat'],
      ['Website', 'http://cat.example', 'http://cat.example'],
    ] as const) {
      await field(name).fill(written)
      await field(name).blur()
      t.equal(await field(name).inputValue(), completed)
    }
  })

  await t.test('links and texts that the service would reject are not launched with', async (t) => {
    await open('/launch')
    await field('Name').fill('Draft Cat')
    await field('Symbol').fill('DCAT')
    const launch = page.getByRole('main').getByRole('button', { name: 'Launch' })
    const cases: [name: string, text: string, problem: string][] = [
      ['Website', 'https://my_cat.example.org', 'an https URL, with letters, digits, dots and hyphens in its host'],
      ['X', 'https://x.com', 'the URL of a profile or community on X, without a query'],
      ['Telegram', 'https://t.me/a?start=1', 'the URL of a channel or group on Telegram, without a query'],
      ['Discord', 'https://discord.com/channels/1', 'the URL of an invitation to a Discord server, without a query'],
    ]
    for (const [name, text, problem] of cases) {
      await field(name).fill(text)
      await launch.click()
      await page
        .getByText(`The ${name === 'Website' ? 'website' : name} link must be ${problem}.`)
        .first()
        .waitFor()
      t.equal(await field(name).getAttribute('aria-invalid'), 'true')
      await field(name).fill('')
    }
    await field('Description').fill('🐱'.repeat(1_001))
    await page.getByText('The description must have at most 1000 characters.').first().waitFor()
    await passes(t)
    await field('Description').fill('')
  })

  await t.test('a profile takes as many characters as the service, and says what is wrong before', async (t) => {
    await open(`/profile/${account(1).address}`)
    await page.getByRole('button', { name: 'Edit profile' }).click()
    await field('Username').fill('ab')
    await page.getByText('The username must be 3 to 20 letters a to z').waitFor()
    await field('Username').fill('harbour_boss')
    await field('About you').fill('🐱'.repeat(301))
    await page.getByText('The text about you must have at most 300 characters.').waitFor()
    await field('About you').fill('🐱'.repeat(300))
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    await page.getByRole('heading', { name: 'harbour_boss' }).waitFor()
    const { body } = await service.request('GET', `/profiles/${account(1).address}`)
    t.equal(body.data.bio, '🐱'.repeat(300))
  })

  await t.test(
    'a website with letters of any script can be launched with, and the form is empty afterwards',
    async (t) => {
      await open('/launch')
      await field('Name').fill('Draft Cat')
      await field('Symbol').fill('DCAT')
      await field('Website').fill('https://пример.рф/путь')
      await page.getByRole('main').getByRole('button', { name: 'Launch' }).click()
      await page.waitForURL(/\/app\/token\/0x/)
      await page.getByRole('heading', { level: 1, name: 'Draft Cat' }).waitFor()
      const { body } = await service.request('GET', new URL(page.url()).pathname.replace('/app/token', '/tokens'))
      t.equal(body.data.links.website, 'https://xn--e1afmkfd.xn--p1ai/%D0%BF%D1%83%D1%82%D1%8C')
      await open('/launch')
      t.equal(await field('Name').inputValue(), '')
    },
  )

  t.same(problems, [])
})
