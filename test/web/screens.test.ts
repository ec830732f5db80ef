import { isDeepStrictEqual } from 'node:util'
import type { Locator, Page } from 'playwright-core'
import t from 'tap'
import { formatAmount, formatChange, formatPercent, formatUsd } from '../../sdk/src/helpers/index.ts'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'
import { createHostileRewrite, startRewritingProxy } from './support/rewriting-proxy.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const PHONE_AND_DESKTOP = [390, 1440] as const
const WIDTHS = [360, 390, 430, 768, 820, 1024, 1440]

t.test('screens show the demo market', { skip }, async (t) => {
  const service = await startService(t, { env: { ADMIN_WALLETS: WALLET, LABS_WALLETS: WALLET } })
  const read = async (path: string) => (await service.request('GET', path)).body.data
  await until(
    () => read('/stats'),
    ({ tokens, indexer }) => tokens.graduated > 0 && indexer.lagBlocks === 0,
    'the history of the market is indexed',
  )
  const proxy = await startRewritingProxy(t, service.url)
  const browser = await openBrowser(t)
  const { page, context, problems } = await visit(browser, { viewport: { width: 1440, height: 900 } })
  // harbormaster, who is an operator here.
  await context.addInitScript("localStorage.setItem('slipway.demo-account', '1')")
  const open = (path: string) => page.goto(`${proxy.url}/app${path}`)
  const parameter = (name: string) => new URL(page.url()).searchParams.get(name)
  const becomes = (name: string, value: string | null) =>
    until(
      async () => parameter(name),
      (now) => now === value,
      `the URL says ${name}=${value}`,
    )

  const { items: tokens } = await read('/tokens?sort=curve&limit=50')
  const token = tokens.find(({ status }: { status: string }) => status === 'curve')
  const { items: raises } = await read('/raises')
  const raiseOf = (status: string) => raises.find((one: { status: string }) => one.status === status)

  await t.test('a quote shows its price impact and the price after the trade', async (t) => {
    await open(`/token/${token.address}`)
    await page.getByRole('textbox', { name: 'You pay' }).fill('0.75')
    const panel = page.getByRole('region', { name: `Trade ${token.symbol}` })
    await panel.getByText('Price after the trade').waitFor()
    const quote = proxy.lastOf(`/tokens/${token.address}/quote`)
    const net = BigInt(quote.amountIn) - BigInt(quote.protocolFee) - BigInt(quote.creatorFee)
    const average = Number(net) / Number(quote.amountOut)
    const before = Number(quote.priceBefore)
    const row = (name: string) => panel.locator('dl > div').filter({ hasText: name }).locator('dd').textContent()
    t.equal(await row('Price impact'), formatPercent((average / before - 1) * 100, 2))
    const move = formatChange((Number(quote.priceAfter) / before - 1) * 100)
    t.match(await row('Price after the trade'), ` (${move})`)
    t.ok(Number(quote.priceAfter) / before - 1 > 1.9 * (average / before - 1), 'which is about twice the impact')
    if (quote.priceImpactPct >= 5) await panel.getByText(`This trade moves the price by ${move}.`).waitFor()
  })

  await t.test('a token page shows who bought at the launch', async (t) => {
    const panel = page.getByRole('region', { name: 'Launch' })
    await panel.waitFor()
    const { risk } = await read(`/tokens/${token.address}`)
    const row = (name: string) => panel.locator('dl > div').filter({ hasText: name }).locator('dd').textContent()
    // The market trades meanwhile: the number of wallets at the launch stays, what they hold does not.
    t.match(await row('Snipers'), new RegExp(`^${risk.snipers.count} · [\\d.]+%$`))
    t.match(await row('Fresh wallets'), new RegExp(`^${risk.freshWallets.count} · [\\d.]+%$`))
    t.match(await row('Creator sold'), /^[\d.]+%$/)
  })

  await t.test('a price impact above 15 % is an alert, and one from 5 % a hint', async (t) => {
    const panel = page.getByRole('region', { name: `Trade ${token.symbol}` })
    for (const width of PHONE_AND_DESKTOP) {
      await page.setViewportSize({ width, height: 900 })
      for (const [percent, tone] of [
        [4.9, 'none'],
        [15, 'hint'],
        [15.1, 'alert'],
      ] as const) {
        proxy.rewrite = (path, body) =>
          path.includes('/quote') ? { ...body, data: { ...body.data, priceImpactPct: percent } } : body
        await open(`/token/${token.address}`)
        await page.getByRole('textbox', { name: 'You pay' }).fill('0.75')
        await panel
          .locator('dl > div')
          .filter({ hasText: 'Price impact' })
          .getByText(formatPercent(percent, 2))
          .waitFor()
        const alert = panel.getByRole('alert').filter({ hasText: `Price impact of ${formatPercent(percent)}` })
        const hint = panel.getByText('This trade moves the price by')
        t.same([await alert.count(), await hint.count()], [tone === 'alert' ? 1 : 0, tone === 'none' ? 0 : 1])
      }
    }
    proxy.rewrite = (_path, body) => body
  })

  await t.test('a typed amount is kept when the layout changes, and the age is shown beside the creator', async (t) => {
    await page.setViewportSize({ width: 390, height: 844 })
    const head = page.getByRole('main').locator('header')
    const [creator, age] = await Promise.all(
      [head.locator('a[href*="/profile/"]'), head.locator('time')].map((one) => one.boundingBox()),
    )
    t.ok(creator && age && Math.abs(creator.y - age.y) < 5)
    t.equal(await page.getByRole('textbox', { name: 'You pay' }).inputValue(), '0.75')
    await page.setViewportSize({ width: 1440, height: 900 })
    t.equal(await page.getByRole('textbox', { name: 'You pay' }).inputValue(), '0.75')
  })

  await t.test('an invalid amount is shown with its problem', async (t) => {
    const input = page.getByRole('textbox', { name: 'You pay' })
    for (const [text, reason] of [
      ['ten', '“ten” is not a number. Enter one such as 0.5.'],
      ['1,000', 'Write 1000 without commas, or use a decimal point.'],
      ['-1', 'An amount cannot be negative.'],
      ['0.0000000000000000001', 'ETH has at most 18 decimals.'],
      ['123456789', /^Beside the network fee you have [\d.,K]+ ETH, less than this\.$/],
    ] as const) {
      await input.fill(text)
      t.match(await input.getAttribute('aria-describedby').then((id) => page.locator(`id=${id}`).textContent()), reason)
    }
    await input.fill('0')
    t.equal(await input.getAttribute('aria-invalid'), 'false', 'nothing is wrong while 0.5 is typed')
    await input.blur()
    await page.getByText('Enter an amount above zero.').waitFor()
  })

  await t.test('the chart loads older candles when it is scrolled back', async (t) => {
    await page.getByRole('button', { name: '1m', exact: true }).click()
    const chart = page.getByRole('img', { name: /1m candles since/ })
    await chart.waitFor()
    const since = async () =>
      Date.parse(/since (.+?)\. Last/.exec((await chart.getAttribute('aria-label')) ?? '')?.[1] ?? '')
    const first = await since()
    await chart.hover()
    await until(
      async () => {
        await page.mouse.wheel(-4_000, 0)
        return since()
      },
      // The newest candles alone begin later with each minute.
      (now) => now < first,
      'it begins earlier',
    )
    t.equal(parameter('interval'), '1m')
  })

  await t.test('selections are in the URL: a reload keeps them, and Back undoes them', async (t) => {
    await page.getByRole('tab', { name: /^Holders/ }).click()
    await becomes('tab', 'holders')
    await page.reload()
    await page.getByRole('region', { name: 'Holders', exact: true }).waitFor()
    t.equal(await page.getByRole('button', { name: '1m', exact: true }).getAttribute('aria-pressed'), 'true')
    await page.goBack()
    await page.getByRole('region', { name: 'Trades', exact: true }).waitFor()
    await page.goBack()
    await becomes('interval', null)

    await open('/')
    await page.getByRole('button', { name: 'Newest' }).click()
    await becomes('sort', 'newest')
    await page.getByRole('searchbox', { name: 'Filter by name' }).fill(token.symbol)
    await becomes('q', token.symbol)
    await page.reload()
    const filter = page.getByRole('searchbox', { name: 'Filter by name' })
    t.equal(await filter.inputValue(), token.symbol)
    await page.goBack()
    await becomes('q', null)
    t.equal(await filter.inputValue(), '')
    t.equal(parameter('sort'), 'newest')
    await page.goBack()
    await becomes('sort', null)
  })

  await t.test('bought and received tokens of a holding add up', async (t) => {
    await open('/portfolio')
    const rows = page.getByRole('region', { name: 'Holdings, most valuable first' }).locator('tbody tr')
    await rows.first().waitFor()
    const { holdings } = proxy.lastOf('/portfolio')
    const mixed = holdings.find((one: Holding) => one.boughtAmount !== '0' && one.receivedAmount !== '0') as Holding
    t.ok(mixed, 'the market has such a holding')
    const figures = async (origin: string) => {
      const row = rows.filter({ hasText: mixed.name }).filter({ hasText: origin })
      return (await row.locator('td').allTextContents()).slice(2, 5)
    }
    const worth = (amount: string) => (Number(amount) / 1e18) * (mixed.priceUsd ?? 0)
    const [bought, received] = [worth(mixed.boughtAmount), worth(mixed.receivedAmount)]
    const cost = mixed.costUsd ?? 0
    const profit = (bought >= cost ? '▲+' : '▼') + formatUsd(bought - cost)
    t.same(await figures('Bought'), [formatUsd(cost), formatUsd(bought), profit])
    t.same(await figures('Received'), ['–', formatUsd(received), '–'])
  })

  await t.test('a raise is measured against its minimum goal, and its maximum is marked', async (t) => {
    await open(`/raises/${raiseOf('succeeded').id}`)
    const { totalCommitted, goalMin, goalMax } = raiseOf('succeeded')
    const bar = page.getByRole('progressbar', { name: /^Commitments to/ })
    const percent = formatPercent((Number(totalCommitted) / Number(goalMin)) * 100)
    t.equal(await bar.getAttribute('aria-valuetext'), `${percent} of the minimum goal`)
    t.equal(await bar.getAttribute('aria-valuenow'), '100')
    await page.getByText(`Maximum ${Number(goalMax) / 1e18}`).waitFor()
    await open('/staking')
    const { cooldownSeconds } = (await read('/staking/pools')).items[0]
    await page.getByText(`Unstaking takes ${cooldownSeconds / 86_400} days.`).waitFor()
  })

  await t.test('commitments to an open raise are shown as escrow, and a registration is not one', async (t) => {
    const figure = (name: string) =>
      page.locator('main dl > div').filter({ hasText: name }).locator('dd').last().textContent()
    await open(`/raises/${raiseOf('active').id}`)
    const committed = async () => (await read(`/raises/${raiseOf('active').id}`)).totalCommitted
    t.not(await committed(), '0')
    await until(
      async () => [await figure('In escrow'), `${formatAmount(await committed())} ETH`],
      ([shown, held]) => shown === held,
      'all commitments are in escrow',
    )
    await open(`/raises/${raiseOf('registration').id}`)
    await page.getByRole('button', { name: 'Register' }).click()
    await page.getByText(/^You are registered/).waitFor()
    t.equal(await page.getByText('You committed').count(), 0)
  })

  await t.test('the portfolio and the profile show the profit of each day', async (t) => {
    const toBar = ({ realizedPnl, usd = realizedPnl?.usd ?? 0 }: { realizedPnl?: { usd: number }; usd?: number }) => ({
      text: `${usd > 0 ? '+' : ''}${formatUsd(usd)}`,
      fill: usd > 0 ? 'var(--up)' : 'var(--down)',
      isSeen: usd !== 0,
    })
    const readBar = async (bar: Locator) => ({
      text: (await bar.textContent())?.replace(/^.*: /, ''),
      fill: await bar.getAttribute('fill'),
      isSeen: Number(await bar.getAttribute('height')) > 0,
    })
    const trading = page.getByRole('region', { name: 'Trading' })
    for (const path of ['/portfolio', `/profile/${WALLET}`]) {
      await open(path)
      for (const [name, field] of Object.entries({ Realized: 'days', Unrealized: 'unrealizedByDay' })) {
        const readExpected = async () => (await read(`/wallets/${WALLET}/stats?period=30d`))[field].map(toBar)
        const chart = trading.getByRole('img', { name: new RegExp(`^${name} P&L by day: best `) })
        await chart.waitFor()
        const readBars = async () => Promise.all((await chart.locator('rect').all()).map(readBar))
        // The market trades on.
        const [bars, expected] = await until(
          () => Promise.all([readBars(), readExpected()]),
          ([shown, wanted]) => isDeepStrictEqual(shown, wanted),
          `${name}: the bars are the profits of the days`,
        )
        t.ok(bars.length >= 2)
        t.same(bars, expected)
      }
    }
  })

  await t.test('the portfolio shows staked tokens', async (t) => {
    const pool = (await read('/staking/pools')).items.find(({ rewardToken }: Pool) => !/^0x0{40}$/.test(rewardToken))
    const { symbol } = await read(`/tokens/${pool.stakingToken}`)
    const position = { ...pool, poolId: pool.id, staked: '3000000000000000000', earned: '250000000000000000' }
    proxy.rewrite = (path, body) =>
      path.startsWith('/portfolio') ? { ...body, data: { ...body.data, staking: [position] } } : body
    await open('/portfolio')
    const stakes = page.getByRole('region', { name: 'Staked' })
    await stakes.getByText(`3 ${symbol} staked`).waitFor()
    await stakes.getByText(`0.25 ${symbol} earned`).waitFor()
    proxy.rewrite = (_path, body) => body
    t.pass()
  })

  await t.test('each button of a staking pool is enabled if amounts and time allow its action', async (t) => {
    const COIN = 10n ** 18n
    const [day, now] = [86_400_000, Date.now()]
    const at = (time: number) => new Date(time).toISOString()
    const [pool] = (await read('/staking/pools')).items
    const card = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: /^Stake / }) })
    const button = (name: string | RegExp) => card.first().getByRole('button', { name, exact: true })
    const show = async (position: { pendingUnstake?: bigint; withdrawableAt?: string; earned?: bigint }) => {
      const { pendingUnstake = 0n, withdrawableAt = null, earned = 0n } = position
      const amounts = { staked: String(2n * COIN), pendingUnstake: String(pendingUnstake), earned: String(earned) }
      const item = { ...pool, poolId: pool.id, wallet: WALLET, withdrawableAt, claimed: '0', asOf: at(now), ...amounts }
      proxy.rewrite = (path, body) =>
        path.startsWith('/staking/positions') ? { ...body, data: { ...body.data, items: [item] } } : body
      await open('/staking')
      await card
        .first()
        .getByText(/^2 \w+$/)
        .waitFor()
    }
    for (const [what, withdrawableAt, isOpen] of [
      ['without a time', null, true],
      ['a day after its time', at(now - day), true],
      ['a day before its time', at(now + day), false],
    ] as const) {
      await show({ pendingUnstake: 3n * COIN, ...(withdrawableAt && { withdrawableAt }) })
      t.equal(await button(/^Withdraw 3/).isEnabled(), isOpen, `withdraw ${what}`)
    }
    for (const [earned, isOpen] of [
      [0n, false],
      [1n, true],
    ] as const) {
      await show({ earned })
      t.equal(await button('Claim').isEnabled(), isOpen, `claim ${earned}`)
      t.equal(await button(/^Withdraw/).count(), 0, 'nothing is pending')
    }
    const amount = card.first().getByRole('textbox', { name: /^Amount of/ })
    for (const [text, isOpen] of [
      ['', false],
      ['0', false],
      ['2', true],
      ['2.000000000000000001', false],
    ] as const) {
      await amount.fill(text)
      t.equal(await button('Unstake').isEnabled(), isOpen, `unstake ${text || 'nothing'} of 2`)
    }
    await amount.fill('999999999999')
    t.equal(await button('Stake').isEnabled(), false, 'stake more than the wallet has')
    proxy.rewrite = (_path, body) => body
  })

  await t.test('only wallets with a commitment have vote buttons', async (t) => {
    const path = `/raises/${raiseOf('finalized').id}`
    await open(path)
    await page.getByText('Yours did not.').waitFor()
    t.equal(await page.getByRole('button', { name: 'Vote for' }).count(), 0)
    const committer = await visit(browser)
    await committer.context.addInitScript("localStorage.setItem('slipway.demo-account', '5')")
    await committer.page.goto(`${proxy.url}/app${path}`)
    await committer.page.getByRole('button', { name: 'Vote for' }).waitFor()
    await committer.context.close()
  })

  await t.test('profiles are found by username, and pages of missing items link elsewhere', async (t) => {
    await open('/profile/HarborMaster')
    await page.getByRole('heading', { level: 1, name: 'harbormaster' }).waitFor()
    await page.getByRole('button', { name: 'Edit profile' }).click()
    await page.getByRole('textbox', { name: 'Username' }).fill('support')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').getByText('The username is reserved.').waitFor()
    for (const [path, title, way] of [
      [`/token/0x${'1'.repeat(40)}`, 'There is no such token', 'To the market'],
      ['/token/what', 'There is no such token', 'Launch a token'],
      [`/raises/0x${'1'.repeat(40)}-9`, 'There is no such raise', 'To the raises'],
      ['/profile/nobody_here', 'There is no such profile', 'To the market'],
    ] as const) {
      await open(path)
      await page.getByRole('region', { name: title }).getByRole('link', { name: way }).waitFor()
    }
    const unexpected = problems.filter((problem) => !/status of 40[04]/.test(problem))
    t.same(unexpected, [])
  })

  await t.test('hostile content causes no error, overflow or horizontal scrolling at any width', async (t) => {
    proxy.rewrite = createHostileRewrite()
    const screens: [path: string, tables: number][] = [
      ['/', 1],
      [`/token/${token.address}`, 1],
      [`/token/${token.address}?tab=holders`, 1],
      [`/token/${token.address}?tab=first`, 1],
      [`/token/${token.address}?tab=top&by=volume`, 1],
      ['/?view=cards', 0],
      ['/portfolio', 3],
      ['/leaderboard', 1],
      [`/profile/${WALLET}?tab=activity`, 1],
      [`/raises/${raiseOf('finalized').id}`, 1],
      ['/operator?tab=audit', 1],
      ['/raises', 0],
      ['/staking', 0],
      ['/notifications', 0],
      ['/activity', 0],
      ['/launch', 0],
    ]
    for (const [path, tables] of screens) {
      await open(path)
      await until(
        () => page.locator('table:has(caption):has(tbody tr)').count(),
        (count) => count === tables,
        `${path} has ${tables} tables with rows`,
      )
      for (const width of WIDTHS) t.same(await faultsAt(page, width), [], `${path} at ${width} px`)
    }
  })
})

interface Pool {
  rewardToken: string
}

interface Holding {
  name: string
  boughtAmount: string
  receivedAmount: string
  costUsd: number | null
  priceUsd: number | null
}

async function faultsAt(page: Page, width: number): Promise<string[]> {
  await page.setViewportSize({ width, height: 900 })
  return findLayoutFaults(page)
}
