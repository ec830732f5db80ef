/*
 * Takes a picture of every screen of the web client, at three widths and in both themes.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from 'playwright-core'
import { createClient, listRaises, listTokens } from '../sdk/src/index.ts'

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
/** Time for the market to be indexed and to trade a little. */
const WARM_UP_MS = 15_000
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
  const service = values.base === undefined ? await startService() : { url: values.base, stop: async () => {} }
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
  })
  try {
    await mkdir(values.out, { recursive: true })
    const screens = Object.entries(await listScreens(service.url)).filter(([name]) => name.startsWith(values.only))
    for (const theme of THEMES)
      for (const [device, width] of Object.entries(WIDTHS))
        await takePictures(browser, { url: service.url, theme, device, width, screens })
  } finally {
    await browser.close()
    await service.stop()
  }
}

/** Paths below /app by name. */
async function listScreens(url: string): Promise<Record<string, string>> {
  const client = createClient({ baseUrl: url })
  const { items: tokens } = await listTokens(client, { query: { sort: 'trending', limit: 50 } })
  const { items: raises } = await listRaises(client)
  const onCurve = tokens.find(({ status }) => status === 'curve')
  const graduated = tokens.find(({ status }) => status === 'graduated')
  const wallet = '0x70997970c51812dc3a010c7d01b50e0d17dc79c8'
  return {
    home: '/',
    ...(onCurve && { 'token-curve': `/token/${onCurve.address}` }),
    ...(graduated && { 'token-graduated': `/token/${graduated.address}` }),
    launch: '/launch',
    portfolio: '/portfolio',
    profile: `/profile/${wallet}`,
    notifications: '/notifications',
    leaderboard: '/leaderboard',
    raises: '/raises',
    ...(raises[0] && { raise: `/raises/${raises[0].id}` }),
    staking: '/staking',
    operator: '/operator',
    missing: '/nothing-here',
  }
}

interface Series {
  url: string
  theme: (typeof THEMES)[number]
  device: string
  width: number
  screens: readonly (readonly [name: string, path: string])[]
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
  for (const [name, path] of screens) await takePicture(page, `${url}/app${path}`, `${name}-${device}-${theme}`)
  await context.close()
}

async function takePicture(page: Page, url: string, name: string): Promise<void> {
  await page.goto(url)
  await page.locator('main h1, main h2, main p').first().waitFor({ state: 'attached' })
  await sleep(SETTLE_MS)
  await page.screenshot({ path: join(values.out, `${name}.png`), fullPage: true })
  console.log(name)
}

async function startService(): Promise<{ url: string; stop(): Promise<void> }> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-screenshots-'))
  const child = spawn(process.execPath, ['server.ts'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, PORT: '0', DATA_DIR: folder, LOG_LEVEL: 'warn', RATE_LIMITS: 'off' },
  })
  const url = await readUrl(child)
  await sleep(WARM_UP_MS)
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM')
      await new Promise((resolve) => child.once('close', resolve))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

async function readUrl(child: ChildProcess): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk
      const [, url] = /API\s+(http:\S+)/.exec(output) ?? []
      if (url) resolve(url)
    })
    child.once('close', (code) => reject(new Error(`The service ended with ${code}`)))
  })
}
