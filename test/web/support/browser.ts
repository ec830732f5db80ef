import { readFile } from 'node:fs/promises'
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core'
import type { Test } from 'tap'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'
const AXE = new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url)

/** A headless browser for all pages of a test file. */
export async function openBrowser(t: Test): Promise<Browser> {
  const browser = await chromium.launch({
    executablePath: CHROMIUM,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--disable-background-networking'],
    timeout: 120_000,
  })
  t.teardown(() => browser.close())
  return browser
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
  page.setDefaultTimeout(60_000)
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

/** The accessibility rules that the page breaks, each with its first place. */
export async function findViolations(page: Page): Promise<string[]> {
  // An element that fades in has less contrast.
  await page.evaluate('Promise.allSettled(document.getAnimations().map(({ finished }) => finished)).then(() => {})')
  // Evaluated by the debugger, which the page's policy does not bind.
  await page.evaluate(await readFile(AXE, 'utf8'))
  return page.evaluate(`axe.run(document, { runOnly: ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'best-practice'] })
    .then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes[0].html.slice(0, 200) + ' ' + nodes[0].failureSummary))`)
}
