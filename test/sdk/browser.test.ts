import t, { type Test } from 'tap'
import { type Hex, parseEther } from 'viem'
import * as sdk from '../../sdk/src/index.ts'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, startService, until } from '../acceptance/support/service.ts'
import { openBrowser } from '../web/support/browser.ts'
import { bundlePage } from './support/bundle.ts'
import { installSdk } from './support/package.ts'
import { noBrowser, openPage, servePages } from './support/page.ts'
import type { PageOptions } from './support/react-page.ts'
import { startRelay } from './support/relay.ts'

const [creator, trader] = [account(1), account(2)]

/** A service with origins and security headers as they are by default, and one token. */
async function start(t: Test) {
  const [browser, project, chain, databaseUrl] = await Promise.all([
    openBrowser(t),
    installSdk(t),
    startChain(t),
    createDatabase(t),
  ])
  const env = { ...chain.env, MAX_LAG_BLOCKS: '100000' }
  const service = await startService(t, { env, ...(databaseUrl && { databaseUrl }) })
  const token = createdToken(await chain.send(creator, calls.create(chain.contracts, 'The Page', 'PAGE')))
  await until(
    () => service.request('GET', `/tokens/${token}`),
    ({ status }) => status === 200,
    'the token is indexed',
  )
  return { browser, project, chain, service, token }
}
const world = noBrowser ? undefined : await start(t)

/** The page knows nothing but the URL of the service, and a wallet that signs. */
const plainPage = (service: string, wallet: string) => `<!doctype html>
<title>A page</title>
<link rel="icon" href="data:,">
<script type="module">
import { connect, createClient, getIdentity, getToken, listTokens, signIn } from '/sdk/index.js'
const client = createClient({ baseUrl: '${service}' })
const state = (window.state = { events: [] })
window.addEventListener('unhandledrejection', ({ reason }) => { state.failed = String(reason) })
const signer = { address: '${wallet}', signMessage: ({ message }) => window.sign(message) }
await signIn(client, signer)
state.wallet = (await getIdentity(client)).wallet
state.tokens = (await listTokens(client)).items.map(({ symbol }) => symbol)
const failure = await getToken(client, { path: { address: '${wallet}' } }).catch((error) => error)
state.failure = { name: failure.name, status: failure.status, reason: failure.reason, requestId: failure.requestId }
const live = connect(client)
live.subscribe('trades', (message) => state.events.push(message))
live.subscribe('wallet:${wallet}', (message) => state.events.push(message))
</script>`

t.test('a page of another origin signs in, reads data and receives events', { skip: noBrowser }, async (t) => {
  const { browser, project, chain, service, token } = world as NonNullable<typeof world>
  const origin = await servePages(t, project.sdk, { '/': plainPage(service.url, trader.address) })
  const { page: tab, problems } = await openPage(t, browser)
  await tab.exposeFunction('sign', (message: string) => trader.signMessage({ message }))
  await tab.goto(origin)
  const state = () => tab.evaluate(() => (globalThis as unknown as { state: PageState }).state)
  const entered = await until(
    state,
    (state) => state?.events.length === 2 || state?.failed !== undefined,
    'both rooms are entered',
  )
  t.equal(entered.failed, undefined)
  t.equal(entered.wallet, trader.address.toLowerCase())
  t.same(entered.tokens, ['PAGE'])
  t.match(
    entered.failure,
    { name: 'SlipwayError', status: 404, reason: /^[A-Z_]+$/, requestId: /.+/ },
    'headers of the answer can be read',
  )
  t.same(
    entered.events.map(({ type }) => type),
    ['subscribed', 'subscribed'],
  )

  const buy = calls.buy(chain.contracts, token, trader.address, parseEther('0.1'))
  const { transactionHash } = await chain.send(trader, buy)
  const { events } = await until(state, ({ events }) => events.length >= 4, 'the trade is received')
  for (const type of ['trade', 'transaction'])
    t.equal(events.find((event) => event.type === type)?.data?.txHash, transactionHash, type)
  // The browser itself writes of every answer of 404.
  t.same(
    problems.filter((problem) => !problem.includes('404')),
    [],
  )
})

t.test('hooks return the market, update it live, poll without a socket, and trade', { skip: noBrowser }, async (t) => {
  const { browser, project, chain, service, token } = world as NonNullable<typeof world>
  const relay = await startRelay(t, service.url)
  const options: PageOptions = { serviceUrl: service.url, socketUrl: relay.url, token, wallet: creator.address }
  const script = await bundlePage(project, 'react-page.ts')
  const origin = await servePages(t, project.sdk, {
    '/': `<!doctype html><title>Hooks</title><link rel="icon" href="data:,"><body></body>
<script>window.options = ${JSON.stringify(options)}</script><script src="/page.js"></script>`,
    '/page.js': script,
  })
  const { page: tab, problems } = await openPage(t, browser)
  await tab.exposeFunction('request', (method: string, params: unknown[]) => chain.rpc(method, ...params))
  const requests: string[] = []
  tab.on('request', (request) => requests.push(request.url()))
  await tab.goto(origin)
  const shown = (id: string) => tab.textContent(`#${id}`)
  const shows = (id: string, isWanted: (text: string) => boolean, what: string) =>
    until(
      () => shown(id),
      (text) => text !== null && isWanted(text),
      what,
    )
  const buy = async (value: string) =>
    (await chain.send(trader, calls.buy(chain.contracts, token, trader.address, parseEther(value)))).transactionHash
  const lists = async () => (await tab.locator('li').allTextContents()) as Hex[]

  await shows('live', (text) => text === 'live', 'events arrive')
  await shows('quote', (text) => /^\d+$/.test(text), 'a quote is shown')
  await shows('name', (text) => text === 'The Page', 'the token is shown')
  await shows('tokens', (text) => text === 'PAGE', 'the list is shown')
  await shows('total', (text) => text === '1', 'the statistics are shown')
  await shows('missing', (text) => text.includes('No token with this address'), 'the error is shown')
  for (const id of ['price', 'close']) await shows(id, (text) => /^\d/.test(text), `the ${id} is shown`)
  const countMissing = () => requests.filter((url) => url.includes('/tokens/0x1111')).length
  const asked = countMissing()
  const [price, close, quote] = await Promise.all([shown('price'), shown('close'), shown('quote')])

  const hashes = [await buy('0.2'), await buy('0.21')]
  await until(lists, (list) => list[0] === hashes[1] && list[1] === hashes[0], 'both trades are on top')
  await shows('price', (text) => text !== price, 'the price moves')
  await shows('close', (text) => text !== close, 'the candle moves')
  await shows('quote', (text) => text !== quote, 'the quote is requested again')
  await shows('holders', (text) => Number(text) >= 2, 'holders are requested again')

  // A chart of one candle is always requested again; after the first pause it has more.
  for (let pauses = 2; pauses > 0; pauses--) {
    const candle = Number(await shown('candle'))
    await chain.rpc('evm_increaseTime', 200)
    await buy('0.2')
    await shows('candle', (text) => Number(text) > candle + 120, 'the candle of a trade after a pause is shown')
    t.equal(await shown('steps'), '60', 'with those of the minutes before it')
  }

  t.equal(countMissing(), asked, 'what the service rejected is not requested again')

  t.equal(await shown('wallet'), 'nobody')
  const same = sdk.createClient({ baseUrl: service.url })
  await sdk.signIn(same, creator)
  await sdk.likeToken(same, { path: { address: token } })
  t.equal(await shown('liked'), 'null')
  await tab.click('#sign-in')
  await shows('wallet', (text) => text === creator.address.toLowerCase(), 'the wallet is signed in')
  const visitor = sdk.createClient({ baseUrl: service.url })
  await sdk.signIn(visitor, trader)
  await sdk.postTokenComment(visitor, { path: { address: token }, body: { text: 'Ahoy' } })
  await shows('comments', (text) => text === 'Ahoy', 'the comment is shown')
  await shows('unread', (text) => Number(text) > 0, 'its notification is counted')
  await tab.click('#read')
  await shows('unread', (text) => text === '0', 'notifications are read')

  await shows('liked', (text) => text === 'true', 'the token is read again for the wallet')
  const priceBefore = await shown('price')
  await tab.click('#buy')
  await shows('price', (text) => text !== priceBefore, 'an event has the new price')
  t.equal(await shown('liked'), 'true', 'and takes nothing of the wallet away')
  const bought = await shows('bought', (text) => text !== '', 'the page has bought')
  await until(lists, (list) => list.includes(bought as Hex), 'its trade is shown')

  relay.isClosed = true
  relay.cut()
  await shows('live', (text) => text === 'polling', 'the break is shown')
  const polled = await buy('0.22')
  await until(lists, (list) => list[0] === polled, 'trades are polled')
  const countPolls = () => requests.filter((url) => url.endsWith(`/tokens/${token}`)).length
  let [rendered, polls] = [await shown('rendered'), countPolls()]
  const countIdlePolls = async () => {
    const now = await shown('rendered')
    if (now !== rendered) [rendered, polls] = [now, countPolls()]
    return countPolls() - polls
  }
  await until(countIdlePolls, (polls) => polls > 3, 'polls with equal data do not render a component again')
  relay.isClosed = false
  await shows('live', (text) => text === 'live', 'events arrive again')

  for (const value of ['0.011', '0.012', '0.013', '0.014', '0.015']) {
    const newest = await buy(value)
    await until(lists, (list) => list[0] === newest && list.length < 4, 'the list is not twice as long as its page')
  }
  await tab.click('#next')
  const older = await sdk.listTokenTrades(same, { path: { address: token }, query: { limit: 6 } })
  const expected = older.items.map(({ txHash }) => txHash)
  await until(
    lists,
    (list) => list.length > 3 && list.every((hash, index) => hash === expected[index]),
    'the next page follows without a gap',
  )

  const undone = await buy('0.23')
  await until(lists, (list) => list[0] === undone, 'the trade is shown')
  const undoneRaw = await chain.rpc('eth_getRawTransactionByHash', undone)
  await chain.rpc('anvil_reorg', 1, [])
  await until(
    () => tab.locator('li s').allTextContents(),
    (struck) => struck.length === 1 && struck[0] === undone,
    'a trade that a reorg undid is struck out',
  )
  await chain.rpc('eth_sendRawTransaction', undoneRaw)
  await until(
    () => tab.locator('li s').count(),
    (struck) => struck === 0,
    'and no longer once it is mined again',
  )
  t.equal((await lists())[0], undone)

  await tab.reload()
  await shows('more', (text) => text === 'true', 'there are older trades')
  t.equal((await lists()).length, 2)
  await tab.click('#next')
  await until(lists, (list) => list.length === 4, 'the next page is loaded')
  t.equal(await shown('wallet'), 'nobody', 'the token lives in memory only')
  t.same(
    problems.filter((problem) => !problem.includes('WebSocket') && !problem.includes('404')),
    [],
  )
})

interface PageState {
  failed?: string
  wallet: string
  tokens: string[]
  failure: object
  events: { type: string; data?: { txHash?: string } }[]
}
