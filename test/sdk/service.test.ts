import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import t from 'tap'
import { createWalletClient, type Hex, http, parseEther } from 'viem'
import { account, calls, createdToken, startChain } from '../acceptance/support/chain.ts'
import { createDatabase, startService, until } from '../acceptance/support/service.ts'
import { readBlocks } from '../docs/support/guide.ts'
import { installSdk } from './support/package.ts'
import { startRelay } from './support/relay.ts'

const [creator, trader, stranger] = [account(1), account(2), account(3)]

const [project, chain, databaseUrl] = await Promise.all([installSdk(t), startChain(t), createDatabase(t)])
const service = await startService(t, {
  env: { ...chain.env, MAX_LAG_BLOCKS: '100000' },
  ...(databaseUrl && { databaseUrl }),
})
const sdk = await project.load()
const { contracts } = chain
const open = (url = service.url) => sdk.createClient({ baseUrl: url, timeoutMs: 60_000 })
const walletOf = (of: typeof creator) => createWalletClient({ account: of, transport: http(chain.url) })

const client = open()
await sdk.signIn(client, creator)
const creation = await chain.send(creator, calls.create(contracts, 'The First', 'FIRST', parseEther('0.1')))
const token = createdToken(creation)
const buy = async (value = '0.1', buyer = trader) =>
  (await chain.send(buyer, calls.buy(contracts, token, buyer.address, parseEther(value)))).transactionHash

/** The messages that a handler receives, and a wait for them. */
function collect<Message extends { type: string }>() {
  const received: Message[] = []
  return {
    handle: (message: Message) => void received.push(message),
    received,
    until: (isThere: (received: Message[]) => boolean, what: string) => until(async () => received, isThere, what),
  }
}

t.test('an account and a wallet client of viem sign in, and out', async (t) => {
  for (const baseUrl of [service.url, `${service.url}/api/`])
    for (const signer of [stranger, walletOf(stranger)]) {
      const client = open(baseUrl)
      await t.rejects(sdk.getIdentity(client), { name: 'SlipwayError', status: 401, message: 'Missing bearer token' })
      const token = await sdk.signIn(client, signer)
      t.equal(client.token, token)
      t.equal((await sdk.getIdentity(client)).wallet, stranger.address.toLowerCase())
      await sdk.signOut(client)
      t.equal(client.token, undefined)
      await t.rejects(
        sdk.getIdentity(sdk.createClient({ baseUrl, token })),
        { name: 'SlipwayError', status: 401 },
        'the token is revoked',
      )
      client.token = token
      await sdk.signOut(client)
      t.equal(client.token, undefined, 'signing out of what has ended is no error')
    }
})

t.test('a request that fails with 401 is retried after onUnauthorized signs in again', async (t) => {
  const refused: number[] = []
  const client = sdk.createClient({
    baseUrl: service.url,
    token: 'stale',
    onUnauthorized: async ({ status }) => {
      refused.push(status)
      await sdk.signIn(client, stranger)
      return true
    },
  })
  t.equal((await sdk.getIdentity(client)).wallet, stranger.address.toLowerCase())
  t.same(refused, [401])
})

t.test('a launch is synced with its off-chain data, and is then listed', async (t) => {
  const { tokens } = await sdk.sync(client, sdk.createToken, creation.transactionHash, {
    body: { description: 'Of a test' },
  })
  t.match(tokens[0], { address: token, description: 'Of a test' })
  const { items } = await sdk.listTokens(client, { query: { sort: 'newest', limit: 1 } })
  t.match(items, [{ address: token, symbol: 'FIRST' }])
  t.equal((await sdk.getToken(client, { path: { address: token } })).creator, creator.address.toLowerCase())
  await t.rejects(
    sdk.sync(client, sdk.createToken, creation.transactionHash),
    {
      name: 'AlreadyIndexedError',
      status: 409,
      reason: 'TRANSACTION_ALREADY_INDEXED',
      txHash: creation.transactionHash,
    },
    'a second time it says that it was done',
  )
})

t.test('errors have the status, reason, message and request id of the response', async (t) => {
  const error = await sdk.getToken(client, { path: { address: stranger.address } }).catch((error) => error)
  t.ok(error instanceof sdk.SlipwayError)
  t.match(error, {
    status: 404,
    reason: 'TOKEN_NOT_FOUND',
    message: /not found/,
    requestId: /.+/,
    operation: 'GET /tokens/{address}',
  })
  const bad = sdk.listTokens(client, { query: { sort: 'best' as 'newest' } })
  await t.rejects(bad, { status: 400, reason: 'INVALID_INPUT', message: /^query\.sort / })
  const nobody = sdk.createClient({ baseUrl: 'http://127.0.0.1:1' })
  await t.rejects(sdk.listTokens(nobody), TypeError)
  const hasty = sdk.createClient({
    baseUrl: service.url,
    timeoutMs: 1,
    fetch: (_, init) =>
      new Promise((_, reject) => {
        init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
      }),
  })
  await t.rejects(sdk.listTokens(hasty), { name: 'TimeoutError' })
})

t.test('a file is sent as a form, an image is returned as bytes, and JSON-RPC responses are unchanged', async (t) => {
  const card = await sdk.getTokenCard(client, { path: { address: token } })
  t.equal(card.type, 'image/png')
  const { url } = await sdk.uploadImage(client, { body: { file: card } })
  const name = String(url.split('/').at(-1))
  const stored = await sdk.getUpload(client, { path: { name } })
  t.equal(stored.type, 'image/webp')
  const body = { jsonrpc: '2.0' as const, id: 1, method: 'eth_chainId' }
  t.same(await sdk.callNode(client, { body }), { jsonrpc: '2.0', id: 1, result: '0x7a69' })
})

t.test('the sync of a buy that is not mined yet is retried until it is', async (t) => {
  const client = open()
  await sdk.signIn(client, trader)
  await chain.rpc('evm_setAutomine', false)
  t.teardown(() => chain.rpc('evm_setAutomine', true))
  const statuses: number[] = []
  const watching: typeof sdk.syncBuy = (...given) =>
    sdk.syncBuy(...given).catch(async (error) => {
      statuses.push(error.status)
      // The chain goes on once the service has said that it does not know yet.
      await chain.rpc('evm_mine')
      throw error
    })
  const call = calls.buy(contracts, token, trader.address, parseEther('0.3'))
  const send = () =>
    walletOf(trader).writeContract({
      ...call,
      address: call.to,
      abi: call.abi as [],
      chain: null,
    } as never) as Promise<Hex>
  const { trades } = await sdk.sendAndSync(client, watching, send)
  t.same([...new Set(statuses)], [425])
  t.match(trades, [{ side: 'buy', trader: trader.address.toLowerCase(), quoteAmount: parseEther('0.3').toString() }])

  await chain.rpc('evm_setAutomine', true)
  const own = await sdk.sendAndSync(client, sdk.syncBuy, send, { publicClient: chain.client })
  t.equal(own.trades.length, 1, 'with a public client that waits')
  await sdk.signIn(client, stranger)
  await t.rejects(sdk.sync(client, sdk.syncBuy, String(own.trades[0]?.txHash)), { name: 'SlipwayError', status: 403 })
  const unknown = sdk.sync(client, sdk.syncBuy, `0x${'ab'.repeat(32)}`, { unknownMs: 10 })
  await t.rejects(unknown, { name: 'SlipwayError', status: 404 })
})

t.test('a channel resumes after a disconnect with each event once, in order', async (t) => {
  const relay = await startRelay(t, service.url)
  const client = open(relay.url)
  const statuses: string[] = []
  const live = sdk.connect(client, { minDelayMs: 20, maxDelayMs: 200, onStatus: (status) => statuses.push(status) })
  t.teardown(() => live.close())
  const room = collect<{ type: string; seq?: number; data?: unknown }>()
  // In any letter case, as wallets and explorers give them.
  live.subscribe(`token:${token.toUpperCase().replace('0X', '0x')}`, room.handle)
  const all = collect<{ type: string }>()
  const leave = live.subscribe('trades', all.handle)
  const trades = () => room.received.filter(({ type }) => type === 'trade') as { data: { txHash: string } }[]
  await room.until((received) => received[0]?.type === 'subscribed', 'the room is entered')

  const hashes = [await buy()]
  await room.until(() => trades().length === 1, 'the first trade is received')
  relay.isClosed = true
  relay.cut()
  await until(
    async () => statuses,
    (seen) => seen.at(-1) === 'connecting',
    'the break is noticed',
  )
  for (const value of ['0.11', '0.12']) hashes.push(await buy(value))
  await until(
    () => sdk.listTokenTrades(open(), { path: { address: token } }),
    ({ items }) => items[0]?.txHash === hashes[2],
    'the service has indexed them',
  )
  relay.isClosed = false
  await room.until(() => trades().length === 3, 'the missed trades are received')
  hashes.push(await buy('0.13'))
  await room.until(() => trades().length === 4, 'and what comes')
  t.same(
    trades().map(({ data }) => data.txHash),
    hashes,
  )
  const seqs = room.received.filter(({ type }) => type !== 'subscribed').map(({ seq }) => Number(seq))
  t.same(
    seqs,
    [...new Set(seqs)].sort((a, b) => a - b),
  )
  t.same([...new Set(statuses)], ['connecting', 'open'])

  await all.until((received) => received.filter(({ type }) => type === 'trade').length === 4, 'the other room, too')
  leave()
  await buy('0.14')
  await room.until(() => trades().length === 5, 'one room goes on')
  t.equal(all.received.filter(({ type }) => type === 'trade').length, 4, 'the room that was left sends nothing')
  live.close()
  t.equal(statuses.at(-1), 'closed')
})

t.test('a history that is no longer stored is reported as a gap, and events follow', async (t) => {
  const live = sdk.connect(open())
  t.teardown(() => live.close())
  const room = collect<{ type: string; since?: number; seq?: number }>()
  live.subscribe('trades', room.handle, { since: 2 ** 50 })
  await room.until((received) => received.length > 0, 'the gap is reported')
  t.match(room.received[0], { type: 'gap', room: 'trades', since: 2 ** 50, seq: Number })
  await buy('0.15')
  await room.until((received) => received.some(({ type }) => type === 'trade'), 'the next trade is received')
})

t.test('the channel of a wallet requires its sign-in', async (t) => {
  const client = open()
  const live = sdk.connect(client)
  t.teardown(() => live.close())
  const room = collect<{ type: string; data?: unknown }>()
  const name = `wallet:${trader.address}` as const
  const leave = live.subscribe(name, room.handle)
  await room.until((received) => received.length === 1, 'it is refused')
  t.match(room.received, [{ type: 'refused', room: name.toLowerCase(), code: 'UNAUTHORIZED' }])
  leave()
  await sdk.signIn(client, trader)
  live.subscribe(name, room.handle)
  await room.until((received) => received.at(-1)?.type === 'subscribed', 'it is entered')
  const hash = await buy('0.16')
  await room.until(
    (received) =>
      received.some(({ type, data }) => type === 'transaction' && (data as { txHash: string }).txHash === hash),
    'its transaction is received',
  )
})

t.test('the channel of a wallet that was refused is entered when the wallet has signed in', async (t) => {
  const client = open()
  const live = sdk.connect(client)
  t.teardown(() => live.close())
  const room = collect<{ type: string }>()
  live.subscribe(`wallet:${trader.address}`, room.handle)
  await room.until((received) => received.length === 1, 'it is refused')
  await sdk.signIn(client, trader)
  await room.until((received) => received.at(-1)?.type === 'subscribed', 'it is entered')
})

t.test('iterate returns all items of a list, a page at a time', async (t) => {
  const { items } = await sdk.listTokenTrades(client, { path: { address: token }, query: { limit: 100 } })
  t.ok(items.length > 2)
  const queries: unknown[] = []
  const watched: typeof sdk.listTokenTrades = (client, options) => {
    queries.push(options.query)
    return sdk.listTokenTrades(client, options)
  }
  const found: string[] = []
  for await (const { id } of sdk.iterate(client, watched, { path: { address: token }, query: { limit: 2 } }))
    found.push(id)
  t.same(
    found,
    items.map(({ id }) => id),
  )
  t.equal(queries.length, Math.ceil(items.length / 2))
  const symbols: string[] = []
  for await (const { symbol } of sdk.iterate(client, sdk.listTokens)) symbols.push(symbol)
  t.same(symbols, ['FIRST'])
})

t.test('a handler that is added to a channel later is called with its subscription', async (t) => {
  const live = sdk.connect(open())
  t.teardown(() => live.close())
  const [first, second] = [collect<{ type: string; seq?: number }>(), collect<{ type: string; seq?: number }>()]
  live.subscribe('trades', first.handle)
  await first.until((received) => received.length === 1, 'the room is entered')
  live.subscribe('trades', second.handle)
  await second.until((received) => received.length === 1, 'the second handler is called')
  t.same(second.received[0], first.received[0])
  await buy('0.17')
  await second.until((received) => received.at(-1)?.type === 'trade', 'and receives events')
  t.same(first.received, second.received)
})

t.test('a change of the access token is reported, and its wallet can be read', async (t) => {
  const client = open()
  const tokens: (string | undefined)[] = []
  const end = client.watchToken(() => tokens.push(client.token))
  await sdk.ensureSignedIn(client, walletOf(stranger))
  const token = client.token
  t.equal(sdk.readToken(token), stranger.address.toLowerCase())
  await sdk.ensureSignedIn(client, walletOf(stranger))
  t.equal(client.token, token, 'a valid token is kept')
  await sdk.ensureSignedIn(client, walletOf(trader))
  t.equal(sdk.readToken(client.token), trader.address.toLowerCase(), 'another wallet signs in')
  end()
  await sdk.signOut(client)
  t.same(tokens.length, 2)
  for (const other of [undefined, '', 'a.b.c', 'a.e30.c', `a.${btoa('{"sub":"0x1","exp":1}')}.c`])
    t.equal(sdk.readToken(other), undefined)
})

t.test('a sync has a longer timeout than a read', async (t) => {
  const limits: number[] = []
  const { timeout } = AbortSignal
  AbortSignal.timeout = (ms) => {
    limits.push(ms)
    return timeout(ms)
  }
  t.teardown(() => {
    AbortSignal.timeout = timeout
  })
  const client = sdk.createClient({ baseUrl: service.url, timeoutMs: 5_000 })
  await sdk.listTokens(client)
  await t.rejects(sdk.syncBuy(client, { body: { txHash: creation.transactionHash } }), { name: 'SlipwayError' })
  await sdk.listTokens(client, { timeoutMs: 7_000 })
  t.same(limits, [5_000, 90_000, 7_000])
})

t.test('the first example of the README works', async (t) => {
  const [example] = (await readBlocks('sdk/README.md')).filter(({ name }) => name === 'first')
  t.match(example?.code, 'https://launch.example')
  const program = join(project.folder, 'example.mts')
  await writeFile(
    program,
    `import { createWalletClient, http } from 'viem'
import { mnemonicToAccount } from 'viem/accounts'
const account = mnemonicToAccount('test test test test test test test test test test test junk', { addressIndex: 4 })
const walletClient = createWalletClient({ account, transport: http('${chain.url}') })
${example?.code.replace('https://launch.example', service.url)}
live.close()`,
  )
  const { stdout } = await promisify(execFile)(process.execPath, [program], { cwd: project.folder })
  t.match(stdout, /^The First \d/)
  t.match(stdout, /^bought \d+$/m)
})
