import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const AXE = new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url)

/** A headless browser for all pages of a test file. If the test fails, it prints what they show. */
export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
    timeout: 120_000,
  })
  t.teardown(async () => {
    if (!t.passing()) await printPages(browser)
    await browser.close()
  })
  return browser
}

async function printPages(browser: Browser): Promise<void> {
  for (const page of browser.contexts().flatMap((context) => context.pages())) {
    const content = await page.ariaSnapshot({ timeout: 5_000 }).catch((error: Error) => error.message)
    console.error(`${page.url()} shows:\n${content}`)
  }
}

export interface Visitor {
  page: Page
  context: BrowserContext
  /** Errors of scripts, of the console, and violations of the security policy. */
  problems: string[]
}

/** A visitor with storage of its own, who prefers reduced motion. */
export async function visit(browser: Browser, options: Parameters<Browser['newContext']>[0] = {}): Promise<Visitor> {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 900 },
    reducedMotion: 'reduce',
    ...options,
  })
  const page = await context.newPage()
  page.setDefaultTimeout(30_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return { page, context, problems }
}

/** Connects the demo wallet of this name. */
export async function connectDemo(page: Page, name: string): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
  // The link to the notifications appears with the sign-in.
  await page.getByRole('link', { name: /^Notifications/ }).waitFor()
}

const WALLET_ICON = 'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg"/%3E'

/**
 * Announces a browser wallet by EIP-6963 in every page of the visitor. `request` signs and sends for it, such as a node that
 * knows its key. The page's variable accountRequests counts how often it was asked for its accounts.
 */
export async function announceWallet(
  { context }: Visitor,
  { name, address, request }: { name: string; address: string; request(method: string, params: unknown[]): unknown },
): Promise<void> {
  await context.exposeFunction('requestOfWallet', request)
  const info = { uuid: randomUUID(), name, icon: WALLET_ICON, rdns: 'org.example.wallet' }
  await context.addInitScript(`{
    // A wallet tells a page its accounts once the user has let it.
    let accounts = []
    globalThis.accountRequests = 0
    const provider = {
      request: async ({ method, params = [] }) => {
        if (method === 'eth_accounts') globalThis.accountRequests += 1
        if (method === 'eth_requestAccounts') accounts = ['${address}']
        return /^eth_(requestA|a)ccounts$/.test(method) ? accounts : requestOfWallet(method, params)
      },
      on() {},
      removeListener() {},
    }
    const detail = Object.freeze({ info: ${JSON.stringify(info)}, provider })
    const announce = () => dispatchEvent(new CustomEvent('eip6963:announceProvider', { detail }))
    addEventListener('eip6963:requestProvider', announce)
    announce()
  }`)
}

/** Connects the browser wallet of this name and signs in with it. */
export async function connectBrowserWallet(page: Page, name: string): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).click()
  await page.getByRole('dialog').getByRole('button', { name }).click()
  await page.getByRole('banner').getByRole('button', { name: /^0x/ }).click()
  await page.getByRole('banner').getByRole('button', { name: 'Sign in' }).click()
  await page.getByRole('link', { name: /^Notifications/ }).waitFor()
  await page.keyboard.press('Escape')
}

/** The accessibility rules that the page breaks, each with its first place. */
export async function findViolations(page: Page): Promise<string[]> {
  // An element that fades in has less contrast.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => {})')
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(await readFile(AXE, 'utf8'))
  return page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`)
}
