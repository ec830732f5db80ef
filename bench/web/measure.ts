import { setTimeout as sleep } from 'node:timers/promises'
import { type Browser, chromium, type Page } from 'playwright-core'
import { startDemoService } from '../../scripts/demo-service.ts'
import { createClient, listTokens } from '../../sdk/src/index.ts'

const RUNS = 10
/** Time in which a page has sent all its first requests. */
const SETTLE_MS = 2_500

export async function measureWeb(): Promise<void> {
  const { url, stop } = await startDemoService()
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM_PATH ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
  })
  try {
    const { items } = await listTokens(createClient({ baseUrl: url }), { query: { sort: 'trending', limit: 50 } })
    const token = items.find(({ status }) => status === 'curve')?.address
    if (!token) throw new Error('The market has no token on its curve')
    // The first visit compiles the service's code.
    await measureHome(browser, url)
    report('market usable after', await repeat(() => measureHome(browser, url)))
    report('painted, slow network', await repeat(() => measureFirstPaint(browser, url)))
    report('trade seen after', await measureTrades(browser, url, token))
    await countRequests(browser, url, token)
  } finally {
    await browser.close()
    await stop()
  }
}

async function repeat(measure: () => Promise<number>): Promise<number[]> {
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) times.push(await measure())
  return times
}

function report(name: string, times: number[]): void {
  const sorted = times.toSorted((a, b) => a - b)
  const [median, worst] = [sorted[Math.floor(sorted.length / 2)], sorted.at(-1)]
  console.log(`${name.padEnd(22)} median ${median?.toFixed(0)} ms, worst ${worst?.toFixed(0)} ms`)
}

/** A visitor with an empty cache. */
async function openPage(browser: Browser, account?: number): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  if (account !== undefined)
    await context.addInitScript(`
      localStorage.setItem('slipway.demo-account', '${account}')
      localStorage.setItem('wagmi.recentConnectorId', '"demo"')
    `)
  return context.newPage()
}

async function measureHome(browser: Browser, url: string): Promise<number> {
  const page = await openPage(browser)
  const start = performance.now()
  await page.goto(`${url}/app`, { waitUntil: 'commit' })
  const row = page.getByRole('region', { name: 'All tokens' }).getByRole('row').nth(1)
  await row.getByRole('link').click({ trial: true })
  const time = performance.now() - start
  await page.context().close()
  return time
}

/** A bad mobile connection: each answer begins after 400 ms, and 50 kB a second arrive. */
const SLOW = { offline: false, latency: 400, downloadThroughput: 50_000, uploadThroughput: 50_000 }

/** Until the browser has painted the frame of the page over a slow network. */
async function measureFirstPaint(browser: Browser, url: string): Promise<number> {
  const page = await openPage(browser)
  const devtools = await page.context().newCDPSession(page)
  await devtools.send('Network.emulateNetworkConditions', SLOW)
  await page.goto(`${url}/app`, { waitUntil: 'commit' })
  let time: number | undefined
  // Not by a function that waits in the page: its Content-Security-Policy evaluates no text.
  while (time === undefined) {
    time = (await page.evaluate("performance.getEntriesByName('first-paint')[0]?.startTime")) as number | undefined
  }
  await page.context().close()
  return time
}

async function measureTrades(browser: Browser, url: string, token: string): Promise<number[]> {
  const [buyer, watcher] = [await openPage(browser, 19), await openPage(browser)]
  for (const page of [buyer, watcher]) await page.goto(`${url}/app/token/${token}`)
  await buyer.getByRole('link', { name: /^Notifications/ }).waitFor()
  const panel = buyer.getByRole('region', { name: /^Trade / }).locator('visible=true')
  await watcher.getByTitle('State of the live connection').filter({ hasText: 'Live' }).waitFor()
  const times: number[] = []
  for (let run = 0; run < RUNS; run++) {
    // The market trades, too: the amount, without a trailing zero, tells which row is meant.
    const amount = `0.0${1_001 + 2 * run}`
    await panel.getByRole('textbox', { name: 'You pay' }).fill(amount)
    await panel.getByText('You receive').waitFor()
    const row = watcher.getByRole('region', { name: 'Trades', exact: true }).getByRole('cell', { name: amount })
    const start = performance.now()
    await Promise.all([row.first().waitFor(), panel.getByRole('button', { name: /^Buy / }).click()])
    times.push(performance.now() - start)
    await panel.getByText(/^Bought/).waitFor()
  }
  await buyer.context().close()
  await watcher.context().close()
  return times
}

/** Requests that count against the quota, without those of pictures, which browsers keep. Files of the client are exempt. */
async function countRequests(browser: Browser, url: string, token: string): Promise<void> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 } })
  const page = await context.newPage()
  let sent: string[] = []
  page.on('request', (request) => {
    const { pathname } = new URL(request.url())
    if (!/^\/(uploads|app\/assets)\/|^\/app\/.*\.\w+$/.test(pathname)) sent.push(pathname)
  })
  const count = async (name: string, act: () => Promise<unknown>) => {
    sent = []
    await act()
    await sleep(SETTLE_MS)
    const totals = Object.entries(Object.groupBy(sent, (path) => path.replace(/0x[0-9a-f]{40}/, '…')))
    const list = totals.map(([path, all = []]) => (all.length > 1 ? `${path} ×${all.length}` : path)).join('  ')
    console.log(`${name.padEnd(22)} ${sent.length} requests: ${list}`)
  }
  await count('load of the market', () => page.goto(`${url}/app`))
  await count('load of a token', () => page.goto(`${url}/app/token/${token}`))
  await count('click to the market', () => page.getByRole('link', { name: 'Market' }).click())
  await count('click to a token', () => page.locator(`a[href$="${token}"]`).first().click())
  await count('click to the market', () => page.getByRole('link', { name: 'Market' }).click())
  await count('click to a token', () => page.locator(`a[href$="${token}"]`).first().click())
  await context.close()
}
