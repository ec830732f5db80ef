/*
 * Takes a picture of every screen of the web client, at three widths and in both themes.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { createClient, listRaises, listTokens } from '../sdk/src/index.ts'
import { startDemoService } from './demo-service.ts'

const HELP = `Usage: npm run screenshots -- [--base URL] [--out FOLDER] [--only NAME]

Takes a picture of every screen of the web client, at three widths and in both themes. Needs Chromium and a built client
(npm run build:web).

  --base URL    a running service with the embedded chain; default: starts one of its own
  --out FOLDER  where to write the pictures; default screenshots
  --only NAME   screens whose name starts with it

Environment:
  CHROMIUM_PATH   default /usr/bin/chromium`

const WIDTHS = { phone: 390, tablet: 820, desktop: 1440 } as const
const THEMES = ['dark', 'light'] as const
/** A trader of the embedded market, so that personal screens have content. */
const DEMO_ACCOUNT = '1'
const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const OPERATORS = { ADMIN_WALLETS: WALLET, LABS_WALLETS: WALLET }
const SETTLE_MS = 1_500

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', short: 'h' },
    base: { type: 'string' },
    out: { type: 'string', default: 'screenshots' },
    only: { type: 'string', default: '' },
  },
})
if (values.help) console.log(HELP)
else await main()

async function main(): Promise<void> {
  const service =
    values.base === undefined ? await startDemoService(OPERATORS) : { url: values.base, stop: async () => {} }
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
  try {
    await mkdir(values.out, { recursive: true })
    const screens = (await listScreens(service.url)).filter(({ name }) => name.startsWith(values.only))
    for (const theme of THEMES)
      for (const [device, width] of Object.entries(WIDTHS))
        await takePictures(browser, { url: service.url, theme, device, width, screens })
  } finally {
    await browser.close()
    await service.stop()
  }
}

interface Screen {
  name: string
  /** Below /app. */
  path: string
  /** What is done before the picture is taken. */
  act?: (page: Page) => Promise<unknown>
}

function openTab(name: string): (page: Page) => Promise<void> {
  return (page) => page.getByRole('tab', { name }).click()
}

async function listScreens(url: string): Promise<Screen[]> {
  const client = createClient({ baseUrl: url })
  const { items: tokens } = await listTokens(client, { query: { sort: 'trending', limit: 50 } })
  const { items: raises } = await listRaises(client)
  const onCurve = tokens.find(({ status }) => status === 'curve')
  const graduated = tokens.find(({ status }) => status === 'graduated')
  const curvePath = `/token/${onCurve?.address}`
  const screens: (Screen | undefined)[] = [
    { name: 'home', path: '/' },
    {
      name: 'search',
      path: '/',
      act: async (page) => {
        await page.getByRole('combobox').fill('a')
        await page.getByRole('option').first().waitFor()
      },
    },
    onCurve && { name: 'token-curve', path: curvePath },
    onCurve && { name: 'token-holders', path: curvePath, act: openTab('Holders') },
    onCurve && {
      name: 'token-quote',
      path: curvePath,
      act: async (page) => {
        const panel = page.getByRole('region', { name: /^Trade / }).locator('visible=true')
        await panel.getByRole('textbox', { name: 'You pay' }).fill('5')
        await panel.getByText('You receive').waitFor()
      },
    },
    graduated && { name: 'token-graduated', path: `/token/${graduated.address}` },
    { name: 'token-missing', path: `/token/0x${'1'.repeat(40)}` },
    { name: 'launch', path: '/launch' },
    { name: 'launch-problems', path: '/launch', act: (page) => page.locator('main button[type=submit]').click() },
    { name: 'portfolio', path: '/portfolio' },
    { name: 'profile', path: `/profile/${WALLET}` },
    { name: 'notifications', path: '/notifications' },
    { name: 'leaderboard', path: '/leaderboard' },
    { name: 'raises', path: '/raises' },
    ...[...new Map(raises.map(({ id, status }) => [status, id]))].map(([status, id]) => ({
      name: `raise-${status}`,
      path: `/raises/${id}`,
    })),
    { name: 'new-raise', path: '/raises/new' },
    { name: 'staking', path: '/staking' },
    { name: 'operator', path: '/operator' },
    { name: 'operator-reports', path: '/operator', act: openTab('Reports') },
    { name: 'operator-audit', path: '/operator', act: openTab('Audit log') },
    { name: 'missing', path: '/nothing-here' },
    {
      name: 'wallet-menu',
      path: '/staking',
      act: (page) => page.locator('header [aria-controls=wallet-menu]').click(),
    },
    {
      name: 'connect',
      path: '/staking',
      act: async (page) => {
        await page.locator('header [aria-controls=wallet-menu]').click()
        await page.getByRole('button', { name: 'Change wallet' }).click()
      },
    },
  ]
  return screens.filter((screen) => screen !== undefined)
}

interface Series {
  url: string
  theme: (typeof THEMES)[number]
  device: string
  width: number
  screens: readonly Screen[]
}

async function takePictures(browser: Browser, { url, theme, device, width, screens }: Series): Promise<void> {
  const context = await browser.newContext({
    viewport: { width, height: width < 500 ? 844 : 900 },
    colorScheme: theme,
    reducedMotion: 'reduce',
  })
  await context.addInitScript(`
    localStorage.setItem('slipway.demo-account', '${DEMO_ACCOUNT}')
    localStorage.setItem('wagmi.recentConnectorId', '"demo"')
  `)
  const page = await context.newPage()
  page.on('console', (message) => {
    if (message.type() === 'error') console.error(`${theme} ${device}: ${message.text()}`)
  })
  for (const screen of screens) await takePicture(page, url, screen, `${screen.name}-${device}-${theme}`)
  await context.close()
}

async function takePicture(page: Page, url: string, { path, act }: Screen, name: string): Promise<void> {
  await page.goto(`${url}/app${path}`)
  await page.locator('main h1, main h2, main p').first().waitFor({ state: 'attached' })
  // The demo wallet signs in by itself.
  await page.getByRole('link', { name: /^Notifications/ }).waitFor()
  await act?.(page)
  await sleep(SETTLE_MS)
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  if (Number(overflow) > 0) console.error(`${name} is ${overflow} pixels too wide`)
  await page.screenshot({ path: join(values.out, `${name}.png`), fullPage: true })
  console.log(name)
}
