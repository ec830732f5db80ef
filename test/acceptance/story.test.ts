import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain, type TestChain } from './support/chain.ts'
import { createDatabase, type Service, startService, until } from './support/service.ts'
import { signIn } from './support/sign-in.ts'

const [creator, trader, stranger] = [account(1), account(2), account(3)]
const UNKNOWN = `0x${'ab'.repeat(32)}`

t.test('with the indexer running, a token is launched, traded and read over HTTP', async (t) => {
  const chain = await startChain(t)
  const databaseUrl = await createDatabase(t)
  const service = await startService(t, { env: chain.env, ...(databaseUrl && { databaseUrl }) })
  for (const prefix of ['', '/api'])
    await t.test(`at the mount '${prefix}'`, (t) => tellStory(t, service, chain, prefix))
})

t.test('with the indexer stopped, a token is launched, traded and read by receipt sync alone', async (t) => {
  const databaseUrl = await createDatabase(t)
  if (!databaseUrl) return t.comment('needs PostgreSQL: an embedded database serves one process, which indexes')
  const chain = await startChain(t)
  const service = await startService(t, { databaseUrl, env: { ...chain.env, ROLE: 'api', MAX_LAG_BLOCKS: '100000' } })
  for (const prefix of ['', '/api'])
    await t.test(`at the mount '${prefix}'`, (t) => tellStory(t, service, chain, prefix))
})

async function tellStory(t: Test, service: Service, chain: TestChain, prefix: string): Promise<void> {
  const { contracts } = chain
  const get = (path: string, token?: string) => service.request('GET', prefix + path, token ? { token } : {})
  const post = (path: string, token: string | undefined, body: unknown) =>
    service.request('POST', prefix + path, { body, ...(token && { token }) })

  const creatorToken = await signIn(service, prefix, { wallet: creator.address, account: creator })
  const traderToken = await signIn(service, prefix, { wallet: trader.address, account: trader })
  const strangerToken = await signIn(service, prefix, { wallet: stranger.address, account: stranger })
  const me = await get('/auth/me', creatorToken)
  t.equal(me.body.data.wallet, creator.address.toLowerCase())

  const symbol = prefix ? 'SECOND' : 'FIRST'
  const creation = await chain.send(creator, calls.create(contracts, `The ${symbol}`, symbol, parseEther('0.2')))
  const token = createdToken(creation)
  const created = await post('/tokens/create', creatorToken, {
    txHash: creation.transactionHash,
    description: 'A token of the story',
    links: { website: 'https://example.org' },
  })
  t.equal(created.status, 200, 'the creation is synced')
  t.match(created.body.data.tokens[0], {
    address: token,
    symbol,
    creator: creator.address.toLowerCase(),
    status: 'curve',
  })
  t.match(created.body.data.tokens[0], {
    description: 'A token of the story',
    links: { website: 'https://example.org' },
  })
  t.equal((await post('/buy', creatorToken, { txHash: creation.transactionHash })).status, 200, 'its first buy, too')

  const buy = await chain.send(trader, calls.buy(contracts, token, trader.address, parseEther('1')))
  const body = { txHash: buy.transactionHash }
  t.strictSame(await answerOf(post('/buy', undefined, body)), [401, 'Missing bearer token'])
  t.strictSame(await answerOf(post('/buy', strangerToken, body)), [403, 'Transaction belongs to a different wallet'])
  t.strictSame(await answerOf(post('/sell', traderToken, body)), [422, 'Transaction lacks the expected event'])
  const bought = await post('/buy', traderToken, body)
  t.equal(bought.status, 200)
  const [trade] = bought.body.data.trades
  t.match(trade, {
    token,
    trader: trader.address.toLowerCase(),
    side: 'buy',
    quoteAmount: parseEther('1').toString(),
    txHash: buy.transactionHash,
  })
  t.strictSame(await answerOf(post('/buy', traderToken, body)), [409, 'Transaction already indexed'])

  const sell = await chain.send(trader, calls.sell(contracts, token, trader.address, parseEther('1000')))
  t.equal((await post('/sell', traderToken, { txHash: sell.transactionHash })).status, 200)

  t.strictSame(await answerOf(post('/buy', traderToken, { txHash: UNKNOWN })), [404, 'Transaction not found'])
  const reverted = await chain.send(trader, {
    ...calls.sell(contracts, token, trader.address, parseEther('900000000')),
    gas: 500_000n,
  })
  t.equal(reverted.status, 'reverted')
  const revertedBody = { txHash: reverted.transactionHash }
  t.strictSame(await answerOf(post('/sell', traderToken, revertedBody)), [422, 'Transaction reverted'])
  const unrelated = await chain.send(trader, calls.approve(token, stranger.address))
  t.strictSame(await answerOf(post('/buy', traderToken, { txHash: unrelated.transactionHash })), [
    422,
    'Transaction lacks the expected event',
  ])

  const [list, search, detail, trades, holders, chart] = await Promise.all([
    get('/tokens?sort=newest'),
    get(`/search?q=${symbol}`),
    get(`/tokens/${token.toUpperCase().replace('0X', '0x')}`),
    get(`/tokens/${token}/trades`),
    get(`/tokens/${token}/holders`),
    get(`/tokens/${token}/chart?interval=1m`),
  ])
  t.equal(list.body.data.items[0].address, token, 'newest first')
  t.match(JSON.stringify(search.body.data), token)
  t.match(detail.body.data, { address: token, buys24h: 2, sells24h: 1, traders24h: 2, holderCount: 2 })
  t.match(
    trades.body.data.items.map(({ side }: { side: string }) => side),
    ['sell', 'buy', 'buy'],
  )
  const balances: Record<string, string> = Object.fromEntries(
    holders.body.data.items.map(({ address, balance }: { address: string; balance: string }) => [address, balance]),
  )
  t.equal(balances[trader.address.toLowerCase()], (await balanceOf(chain, token, trader.address)).toString())
  const held = Object.values(balances).reduce((sum, balance) => sum + BigInt(balance), 0n)
  t.equal(held.toString(), detail.body.data.totalSupply, 'what is held adds up to the supply')
  t.ok(chart.body.data.candles.some((candle: { trades: number }) => candle.trades > 0))
  t.equal(detail.body.data.marketCapUsd > 0, true)

  const transactions = await get(`/transactions?wallet=${creator.address}&token=${token}`)
  t.match(transactions.body.data.items.map(({ type }: { type: string }) => type).sort(), ['buy', 'create'])
  await until(
    () => get('/stats'),
    ({ body }) => body.data.total.trades >= 3,
    'the statistics count the trades',
  )
}

async function answerOf(asked: ReturnType<Service['request']>): Promise<[number, string | undefined]> {
  const { status, body } = await asked
  if (body.success || body.data !== null) throw new Error(`Not an error envelope: ${JSON.stringify(body)}`)
  return [status, body.error]
}

function balanceOf(chain: TestChain, token: `0x${string}`, wallet: `0x${string}`): Promise<bigint> {
  return chain.client.readContract({
    address: token,
    abi: calls.approve(token, token).abi as never,
    functionName: 'balanceOf',
    args: [wallet],
  }) as Promise<bigint>
}
