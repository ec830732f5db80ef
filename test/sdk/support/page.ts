import { once } from 'node:events'
import { access, readFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import type { Test } from 'tap'

const CHROMIUM = process.env.CHROMIUM_PATH ?? '/usr/bin/chromium'

/** Why a test that needs a browser cannot run here; false if it can. */
export const noBrowser: string | false = await access(CHROMIUM).then(
  () => false as const,
  () => `there is no Chromium at ${CHROMIUM}: apt-get install chromium, or set CHROMIUM_PATH`,
)

const TYPES: Record<string, string> = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript' }

/** Serves the pages that are given, and the built SDK under /sdk/, from an origin of its own. Resolves to that origin. */
export async function servePages(t: Test, sdk: string, pages: Record<string, string>): Promise<string> {
  const server = createServer(async (request, response) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost')
    const [, name] = /^\/sdk\/((?:[\w-]+\/)?[\w-]+\.js)$/.exec(pathname) ?? []
    const body = name ? await readFile(join(sdk, 'dist', name)).catch(() => undefined) : pages[pathname]
    response.writeHead(body === undefined ? 404 : 200, { 'content-type': TYPES[extname(pathname)] ?? 'text/html' })
    response.end(body ?? 'nothing here')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** A page of the browser, with storage of its own. What goes wrong in it is kept in `problems`. */
export async function openPage(t: Test, browser: Browser): Promise<{ page: Page; problems: string[] }> {
  const context = await browser.newContext()
  t.teardown(() => context.close())
  const page = await context.newPage()
  page.setDefaultTimeout(120_000)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text())
  })
  return { page, problems }
}
