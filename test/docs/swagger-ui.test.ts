import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Locator, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, type Service, startService, until } from '../acceptance/support/service.ts'
import { ROOT } from '../sdk/support/package.ts'
import { noBrowser, openPage } from '../sdk/support/page.ts'
import { openBrowser } from '../web/support/browser.ts'

const run = promisify(execFile)
const [trader, visitor, creator] = [account(1), account(2), account(3)]

/** Opens an operation, fills in what it takes, sends it, and resolves to the status and body that the page shows. */
async function tryCall(
  page: Page,
  id: string,
  given: { path?: Record<string, string>; body?: object } = {},
): Promise<{ status: number; body: { data: Record<string, unknown> } }> {
  const block = page.locator(`[id$="-${id}"]`)
  await block.locator('.opblock-summary-control').click()
  for (const [name, value] of Object.entries(given.path ?? {}))
    await block.locator(`tr[data-param-name="${name}"] input`).fill(value)
  if (given.body) await block.locator('textarea.body-param__text').fill(JSON.stringify(given.body))
  await block.locator('button.execute').click()
  const answer = block.locator('.live-responses-table .response')
  const status = Number((await answer.locator('.response-col_status').textContent())?.trim())
  const body = JSON.parse(String(await answer.locator('.highlight-code code').first().textContent()))
  return { status, body }
}

/** The width of a picture when it is decoded. Rejects if it is broken. */
const widthOf = (picture: Locator): Promise<number> =>
  picture.evaluate(async (element) => {
    const image = element as unknown as { decode(): Promise<void>; naturalWidth: number }
    await image.decode()
    return image.naturalWidth
  })

interface Document {
  paths: Record<string, Record<string, { operationId: string }>>
  components: Record<string, Record<string, object>>
}

/** Leaves these operations in the document that the page reads: it goes through the whole whenever one is opened. */
async function keepOperations(page: Page, ...ids: string[]): Promise<void> {
  await page.route('**/docs/live.json', async (route) => {
    const response = await route.fetch()
    const { paths, components, ...document } = (await response.json()) as Document
    const kept = Object.entries(paths).map(([path, operations]) => [
      path,
      Object.fromEntries(Object.entries(operations).filter(([, { operationId }]) => ids.includes(operationId))),
    ])
    const used: Document['components'] = { securitySchemes: components.securitySchemes ?? {} }
    const use = (part: object) => {
      for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/([\w.-]+)"/g)) {
        const component = components[kind]?.[name]
        if (!component || used[kind]?.[name]) continue
        used[kind] = { ...used[kind], [name]: component }
        use(component)
      }
    }
    use(kept)
    await route.fulfill({ response, json: { ...document, paths: Object.fromEntries(kept), components: used } })
  })
}

const open = async (t: Test, browser: Browser, service: Service) => {
  const opened = await openPage(t, browser)
  const load = async () => {
    await opened.page.goto(`${service.url}/docs`)
    await opened.page.locator('.opblock').first().waitFor()
  }
  return { ...opened, load }
}

/** A service with a token that was traded. */
async function start(t: Test): Promise<{ service: Service; address: string }> {
  const [chain, databaseUrl] = await Promise.all([startChain(t), createDatabase(t)])
  const service = await startService(t, { env: chain.env, ...(databaseUrl && { databaseUrl }) })
  const address = createdToken(await chain.send(creator, calls.create(chain.contracts, 'Tried', 'TRY')))
  await chain.send(trader, calls.buy(chain.contracts, address, trader.address, parseEther('0.1')))
  await until(
    () => service.request('GET', `/tokens/${address}/trades`),
    ({ body }) => body.data?.items.length === 1,
    'the token and its trade are indexed',
  )
  return { service, address }
}

t.test('Swagger UI signs in and tries calls', { skip: noBrowser }, async (t) => {
  const [browser, { service, address }] = await Promise.all([openBrowser(t), start(t)])

  await t.test('a visitor tries calls with examples of stored rows', async (t) => {
    const { page, problems, load } = await open(t, browser, service)
    await load()
    t.match(await page.textContent('.docs-header'), /^Slipway API.*OpenAPI.*AsyncAPI.*Not signed in/)
    t.ok((await widthOf(page.locator('.docs-header img'))) > 0, 'the logo is loaded')
    t.equal(await page.locator('.opblock-summary-path').first().textContent(), '/tokens')
    const locksOf = (id: string) => page.locator(`[id$="-${id}"] .authorization__btn`).count()
    t.same(await Promise.all(['getTokenChart', 'getToken', 'patchToken'].map(locksOf)), [0, 0, 1])

    const token = await tryCall(page, 'getToken')
    t.equal(token.status, 200, 'the address is that of a token')
    const known = await service.request('GET', `/tokens/${token.body.data.address}`)
    t.equal(known.status, 200)

    await keepOperations(page, 'getProfile', 'getPortfolio', 'getTokenCard')
    await load()
    t.equal((await tryCall(page, 'getProfile')).status, 200)
    t.equal((await tryCall(page, 'getPortfolio')).status, 200)

    const card = page.locator('[id$="-getTokenCard"]')
    await card.locator('.opblock-summary-control').click()
    await card.locator('button.execute').click()
    const picture = card.locator('.live-responses-table img')
    await picture.waitFor()
    t.equal(await widthOf(picture), 1200)
    t.same(problems, [], 'the page breaks no rule of its own security policy')
  })

  await t.test('a token of npm run token authorizes calls', async (t) => {
    const { page, problems, load } = await open(t, browser, service)
    await keepOperations(page, 'getIdentity', 'postTokenComment')
    await load()
    t.match(await page.textContent('.info .description'), /To try operations .* npm run --silent token/)
    t.equal(await page.locator('text=Sign in with a wallet').count(), 0, 'without a wallet there is no such button')

    const { stdout } = await run(process.execPath, ['scripts/token.ts', '--base', service.url], { cwd: ROOT })
    await page.locator('.auth-wrapper button.authorize').click()
    await page.locator('#auth-bearer-value').fill(stdout.trim())
    await page.locator('.auth-container button.authorize').first().click()
    await page.locator('.auth-container button.btn-done').first().click()
    const shown = `${trader.address.slice(0, 6)}…${trader.address.slice(-4)}`.toLowerCase()
    await page.locator('.docs-header', { hasText: `Signed in as ${shown}` }).waitFor()

    const identity = await tryCall(page, 'getIdentity')
    t.match(identity, { status: 200, body: { data: { wallet: trader.address.toLowerCase() } } })
    const text = 'Said from the page of the document'
    const comment = await tryCall(page, 'postTokenComment', { path: { address }, body: { text } })
    t.match(comment, { status: 200, body: { data: { text, author: { wallet: trader.address.toLowerCase() } } } })

    const stored = await page.evaluate('JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie])')
    t.equal(stored, '[{},{},""]', 'scripts of the page find no token in storage')
    t.same(problems, [], 'the page breaks no rule of its own security policy')

    await page.locator('text=Sign out').click()
    await page.locator('text=Not signed in').waitFor()
    await load()
    t.equal((await tryCall(page, 'getIdentity')).status, 401, 'the page has dropped the token')
  })

  await t.test('the wallet of the browser signs in', async (t) => {
    const { page, problems, load } = await open(t, browser, service)
    await keepOperations(page, 'getIdentity', 'followWallet')
    await page.exposeFunction('sign', (raw: `0x${string}`) => visitor.signMessage({ message: { raw } }))
    await page.addInitScript(`window.ethereum = {
      request: async ({ method, params }) =>
        method === 'eth_requestAccounts' ? ['${visitor.address}'] : method === 'personal_sign' ? sign(params[0]) : null
    }`)
    await load()
    await page.locator('text=Sign in with a wallet').click()
    await page.locator('text=Sign in with a wallet').waitFor({ state: 'detached' })
    const identity = await tryCall(page, 'getIdentity')
    t.match(identity, { status: 200, body: { data: { wallet: visitor.address.toLowerCase() } } })
    t.equal((await tryCall(page, 'followWallet', { path: { wallet: trader.address } })).status, 200)
    t.equal(await page.evaluate('JSON.stringify({ ...localStorage })'), '{}')
    t.same(problems, [])
  })
})
