import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { UsageError } from '../../lib/commands/options.ts'
import { createClient, listRaises, listTokens } from '../../sdk/src/index.ts'
import { startDemoService } from '../demo-service.ts'
import { listScreens, type Market, type Screen } from './screens.ts'

const WIDTHS = { narrow: 360, phone: 390, tablet: 820, desktop: 1440 } as const
const THEMES = ['dark', 'light'] as const
/** A trader of the embedded market, so that personal screens have content. */
const DEMO_ACCOUNT = '1'
const WALLET = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
const OPERATORS = { ADMIN_WALLETS: WALLET, LABS_WALLETS: WALLET }
const SETTLE_MS = 1_500

interface Values {
  base: string | undefined
  out: string
  only: string | undefined
}

export async function takeScreenshots({ base, out, only = '' }: Values): Promise<void> {
  const screens = listScreens(WALLET)
  const chosen = screens.filter(({ name }) => name.startsWith(only))
  if (chosen.length === 0)
    throw new UsageError(`--only is ${only}; the screens are ${screens.map(({ name }) => name).join(', ')}`)
  const service = base === undefined ? await startDemoService(OPERATORS) : { url: base, stop: async () => {} }
  try {
    const market = await readMarket(service.url)
    const pages = chosen.flatMap(({ name, path, act }): Picture[] => {
      const below = path(market)
      if (below === undefined) console.error(`The market has nothing to show on the screen ${name}`)
      return below === undefined ? [] : [{ name, url: `${service.url}/app${below}`, act }]
    })
    if (pages.length === 0) throw new Error('There is no screen to take a picture of')
    await mkdir(out, { recursive: true })
    const browser = await chromium.launch({
      executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
      args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    })
    try {
      for (const theme of THEMES)
        for (const [device, width] of Object.entries(WIDTHS))
          await takePictures(browser, { out, theme, device, width, pages })
    } finally {
      await browser.close()
    }
  } finally {
    await service.stop()
  }
}

async function readMarket(url: string): Promise<Market> {
  const client = createClient({ baseUrl: url })
  const { items: tokens } = await listTokens(client, { query: { sort: 'trending', limit: 50 } })
  const { items: raises } = await listRaises(client)
  const find = (wanted: string) => tokens.find(({ status }) => status === wanted)?.address
  return {
    curve: find('curve'),
    graduated: find('graduated'),
    raises: new Map(raises.map(({ id, status }) => [status, id])),
  }
}

interface Picture {
  name: string
  url: string
  act: Screen['act']
}

interface Series {
  out: string
  theme: (typeof THEMES)[number]
  device: string
  width: number
  pages: readonly Picture[]
}

async function takePictures(browser: Browser, { out, theme, device, width, pages }: Series): Promise<void> {
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
  for (const { name, ...picture } of pages)
    await takePicture(page, { name: join(out, `${name}-${device}-${theme}`), ...picture })
  await context.close()
}

async function takePicture(page: Page, { name, url, act }: Picture): Promise<void> {
  await page.goto(url)
  await page.locator('main h1, main h2, main p').first().waitFor({ state: 'attached' })
  // The demo wallet signs in by itself.
  await page.getByRole('link', { name: /^Notifications/ }).waitFor()
  await act?.(page)
  // On a busy machine a screen may take seconds to load its rows.
  await page.locator('main .shimmer').first().waitFor({ state: 'detached' })
  await sleep(SETTLE_MS)
  const overflow = await page.evaluate('document.documentElement.scrollWidth - innerWidth')
  if (Number(overflow) > 0) console.error(`${name} is ${overflow} pixels too wide`)
  await page.screenshot({ path: `${name}.png`, fullPage: true })
  console.log(name)
}
