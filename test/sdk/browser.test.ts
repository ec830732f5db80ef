import t from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, startService, until } from '../acceptance/support/service.ts'
import { installSdk } from './support/package.ts'
import { noBrowser, openPage, servePages } from './support/page.ts'

/** The page knows nothing but the URL of the service, and a wallet that signs. */
const page = (service: string, wallet: string) => `<!doctype html>
<title>A page</title>
<link rel="icon" href="data:,">
<script type="module">
import { connect, createClient, getIdentity, getToken, listTokens, signIn } from '/sdk/index.js'
const client = createClient({ baseUrl: '${service}' })
const told = (window.told = { events: [] })
window.addEventListener('unhandledrejection', ({ reason }) => { told.failed = String(reason) })
const signer = { address: '${wallet}', signMessage: ({ message }) => window.sign(message) }
await signIn(client, signer)
told.wallet = (await getIdentity(client)).wallet
told.tokens = (await listTokens(client)).items.map(({ symbol }) => symbol)
const failure = await getToken(client, { path: { address: '${wallet}' } }).catch((error) => error)
told.failure = { name: failure.name, status: failure.status, reason: failure.reason, requestId: failure.requestId }
const live = connect(client)
live.subscribe('trades', (message) => told.events.push(message))
live.subscribe('wallet:${wallet}', (message) => told.events.push(message))
</script>`

t.test('a page of another origin signs in, reads and hears events', { skip: noBrowser }, async (t) => {
  const [project, chain, databaseUrl] = await Promise.all([installSdk(t), startChain(t), createDatabase(t)])
  // Origins and security headers as they are by default.
  const service = await startService(t, { env: chain.env, ...(databaseUrl && { databaseUrl }) })
  const { contracts } = chain
  const trader = account(2)
  const creation = await chain.send(account(1), calls.create(contracts, 'The Page', 'PAGE'))
  const token = createdToken(creation)
  await until(
    () => service.request('GET', `/tokens/${token}`),
    ({ status }) => status === 200,
    'the token is indexed',
  )

  const origin = await servePages(t, project.sdk, { '/': page(service.url, trader.address) })
  const { page: tab, problems } = await openPage(t)
  await tab.exposeFunction('sign', (message: string) => trader.signMessage({ message }))
  await tab.goto(origin)
  const told = () => tab.evaluate(() => (globalThis as unknown as { told: Told }).told)
  const entered = await until(
    told,
    (told) => told?.events.length === 2 || told?.failed !== undefined,
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

  const { transactionHash } = await chain.send(trader, calls.buy(contracts, token, trader.address, parseEther('0.1')))
  const { events } = await until(told, ({ events }) => events.length >= 4, 'the trade is heard')
  for (const type of ['trade', 'transaction'])
    t.equal(events.find((event) => event.type === type)?.data?.txHash, transactionHash, type)
  // The browser itself writes of every answer of 404.
  t.same(
    problems.filter((problem) => !problem.includes('404')),
    [],
  )
})

interface Told {
  failed?: string
  wallet: string
  tokens: string[]
  failure: object
  events: { type: string; data?: { txHash?: string } }[]
}
