import t from 'tap'
import { startService, until } from '../acceptance/support/service.ts'
import { noBrowser } from '../sdk/support/page.ts'
import { connectDemo, openBrowser, visit } from './support/browser.ts'
import { findLayoutFaults } from './support/layout.ts'

// The client cannot tell which database is behind the API: one run is enough.
const skip = noBrowser || (process.env.TEST_DATABASE_URL ? 'done in the run without PostgreSQL' : false)

const SEEN = `0x${'ab'.repeat(20)}`

t.test('a sign-in survives reloads, tabs and outages', { skip }, async (t) => {
  const service = await startService(t, { env: { MARKET: 'off', RATE_LIMITS: 'on' } })
  const browser = await openBrowser(t)
  const { page, context } = await visit(browser)
  const signedIn = () => page.getByRole('link', { name: /^Notifications/ }).waitFor()
  let nonces = 0
  context.on('request', (request) => {
    if (request.url().endsWith('/auth/nonce')) nonces += 1
  })
  await page.goto(`${service.url}/app`)
  await connectDemo(page, 'harbormaster')

  await t.test('ten reloads within a minute stay signed in with one signature', async (t) => {
    for (let load = 1; load <= 10; load++) {
      await page.reload()
      await signedIn()
    }
    t.equal(nonces, 1)
  })

  await t.test('another tab is signed in, and signed out with the first', async (t) => {
    const tab = await context.newPage()
    await tab.goto(`${service.url}/app/portfolio`)
    await tab.getByRole('link', { name: /^Notifications/ }).waitFor()
    t.equal(nonces, 1)
    const cookies = await context.cookies(`${service.url}/auth/refresh`)
    t.match(cookies, [{ name: 'slipway_session', httpOnly: true, sameSite: 'Strict', path: '/auth' }])
    t.equal(await tab.evaluate('document.cookie'), '', 'no script reads it')
    await tab.close()

    await page.getByRole('button', { name: /harbormaster/ }).click()
    await page.getByRole('button', { name: 'Disconnect' }).click()
    await page.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).waitFor()
    await until(
      () => context.cookies(`${service.url}/auth/refresh`),
      (kept) => kept.length === 0,
      'the session has ended',
    )
    await page.reload()
    await page.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).waitFor()
  })

  await t.test('a sign-in rejected with 429 is shown and retried', async () => {
    let rejections = 1
    await page.route('**/auth/nonce', (route) =>
      rejections-- > 0
        ? route.fulfill({
            status: 429,
            headers: { 'retry-after': '3' },
            body: '{"success":false,"data":null,"error":"x"}',
          })
        : route.continue(),
    )
    await page.getByRole('banner').getByRole('button', { name: 'Connect', exact: true }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'mossy' }).click()
    await page.getByText(/^Too many sign-ins in the last minute\. You will be signed in in \d s/).waitFor()
    await signedIn()
    await page.unroute('**/auth/nonce')
  })

  await t.test('a record that was requested before the sign-in and arrives after it is requested again', async (t) => {
    const early = await visit(browser)
    await early.context.addInitScript("localStorage.setItem('slipway.demo-account', '3')")
    const [requested, arrived] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const authorizations: (string | undefined)[] = []
    await early.context.route(`**/profiles/${SEEN}`, async (route) => {
      authorizations.push(route.request().headers().authorization)
      requested.resolve()
      if (authorizations.length === 1) await arrived.promise
      await route.continue()
    })
    await early.context.route('**/auth/login', async (route) => {
      await requested.promise
      await route.continue()
    })
    await early.page.goto(`${service.url}/app/profile/${SEEN}`)
    await early.page.getByRole('link', { name: /^Notifications/ }).waitFor()
    arrived.resolve()
    await until(
      async () => authorizations.length,
      (count) => count > 1,
      'the record is requested again',
    )
    t.match(authorizations, [undefined, /^Bearer /])
    await early.context.close()
  })

  await t.test('a screen that fails to load keeps the page, and opens once the service responds', async (t) => {
    await context.route('**/assets/leaderboard-screen-*', (route) => route.abort())
    // What a service that is down does to requests. A reload would leave an error page of the browser.
    await context.route('**/live', (route) => route.abort())
    const fresh = await context.newPage()
    await fresh.goto(`${service.url}/app`)
    await fresh.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Leaderboard' }).click()
    await fresh.getByRole('main').getByText('This page could not be loaded').waitFor()
    await fresh.getByText('The service does not respond. The page opens by itself when it does.').waitFor()
    t.equal(new URL(fresh.url()).pathname, '/app/leaderboard')
    await context.unroute('**/assets/leaderboard-screen-*')
    await context.unroute('**/live')
    await fresh.getByRole('heading', { level: 1, name: 'Leaderboard' }).waitFor()
    await fresh.close()
  })

  await t.test('the frame of a page is painted before anything but the page itself has arrived', async (t) => {
    const { promise: isReleased, resolve: release } = Promise.withResolvers<void>()
    const held = await visit(browser)
    await held.context.route('**/*', async (route) => {
      if (route.request().resourceType() !== 'document') await isReleased
      await route.continue()
    })
    await held.page.goto(`${service.url}/app`, { waitUntil: 'commit' })
    const frame = held.page.getByRole('status', { name: 'Loading' })
    await frame.waitFor()
    await until(
      () => held.page.evaluate("performance.getEntriesByName('first-paint').length") as Promise<number>,
      (count) => count === 1,
      'the browser has painted',
    )
    t.same(await findLayoutFaults(held.page), [])
    release()
    await held.page.getByRole('region', { name: 'All tokens' }).waitFor()
    t.equal(await frame.isVisible(), false)
    t.same(held.problems, [])
    await held.context.close()
  })

  await t.test('without the service, pages still open, with one line about the outage', async (t) => {
    const chunks = new Set<string>()
    context.on('response', (response) => {
      const [, name] = /assets\/(\w+(?:-\w+)*)-screen-/.exec(response.url()) ?? []
      if (name) chunks.add(name)
    })
    await page.reload()
    await signedIn()
    await until(
      async () => chunks.size,
      (size) => size >= 11,
      'all screens are loaded while the browser is idle',
    )
    await service.stop()
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Staking' }).click()
    await page
      .getByRole('status')
      .getByText(/^The service does not respond\./)
      .waitFor()
    t.equal(new URL(page.url()).pathname, '/app/staking')
    t.equal(await page.getByText('This page failed').count(), 0)
    await page.setViewportSize({ width: 390, height: 300 })
    t.ok(Number(await page.evaluate('(scrollTo(0, document.body.scrollHeight), scrollY)')) > 0)
    const line = await page.getByRole('status').boundingBox()
    t.ok(line && line.y >= 0 && line.y + line.height <= 300, 'the line stays in view')
  })
})
