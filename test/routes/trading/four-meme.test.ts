import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { type Address, getAddress, type Hex, parseEther } from 'viem'
import { resolveContracts } from '../../../indexer/contracts.ts'
import type { Quote } from '../../../schemas/quote.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { dollars, extendFourMeme } from '../../indexer/fixtures/launchpads/four-meme.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { type FeedEvent, findFeedProblems } from '../../support/feeds/dex-feed.ts'
import { approve } from '../../support/launchpads/venue.ts'
import { listLiveEvents } from '../../support/outbox.ts'

t.setTimeout(400_000)

t.test('tokens of four.meme are served with what their events and contracts contain', async (t) => {
  let made: Awaited<ReturnType<typeof extendFourMeme>>
  const { read, post, accounts, chain, config, test, db, node } = await createChainApp(t, {}, async (test) => {
    made = await extendFourMeme(test)
    const { quotes } = made
    const router = { kind: 'uniswap-v2-router', address: test.deployed.uniswapRouter, startBlock: 0 }
    const deployments = [...made.deployments, router]
    return { ...test.environment, DEPLOYMENTS: JSON.stringify(deployments), QUOTES: JSON.stringify(quotes) }
  })
  const { fourMeme, actions, usdc } = made!
  const [, ann, bob] = accounts as [Address, Address, Address]
  const { token, receipt } = await fourMeme.createToken(ann, { name: 'Dhow', symbol: 'DHOW' })
  const created = await post('/tokens/create', { txHash: receipt.transactionHash, description: 'A dhow' }, ann)
  t.match(created, { status: 200, body: { data: { tokens: [{ address: token, description: 'A dhow' }] } } })
  const launchpad = { kind: 'four-meme', address: fourMeme.address, name: 'four.meme' }
  const fresh = await read(`/tokens/${token}`)
  t.match(fresh.body.data, {
    ...{ launchpad, status: 'curve', lifecycle: 'curve', progressPct: 0, graduatedAt: null, poolAddress: null },
    ...{ virtualQuote: '0', virtualToken: '0', realQuote: '0', realToken: String(parseEther('800000000')) },
    ...{ targetQuote: String(parseEther('18')), protocolFeeBps: null, creatorFeeBps: null, metadataUri: '' },
    ...{ priceNative: null, priceQuote: null, athMarketCapUsd: null },
  })

  const value = parseEther('1.01')
  const bought = await fourMeme.buy(bob, token, value)
  t.equal((await post('/buy', { txHash: bought.transactionHash }, bob)).status, 200)
  const { body: held } = await read<{ items: { tokenAmount: string }[] }>(`/tokens/${token}/trades`)
  const amount = BigInt(held.data.items[0]!.tokenAmount)
  const sold = await fourMeme.sell(bob, token, amount / 2n)
  t.equal((await post('/sell', { txHash: sold.transactionHash }, bob)).status, 200)
  const { token: quoted } = await fourMeme.createToken(ann, {
    ...{ quote: usdc, target: dollars(20_000_000), value: dollars(101_000) },
  })
  await indexToHead(db, test)
  const traded = await read<{ priceNative: string }>(`/tokens/${token}`)
  t.match(traded.body.data, { status: 'curve', buys24h: 1, sells24h: 1, virtualQuote: '0' })
  t.ok(Number(traded.body.data.priceNative) > 0)
  t.match((await read<{ items: object[] }>(`/tokens/${token}/trades`)).body.data.items, [
    { trader: bob, side: 'sell', venue: 'curve', creatorFee: null },
    {
      ...{ trader: bob, side: 'buy', venue: 'curve', quoteAmount: String(value), creatorFee: null },
      protocolFee: String(parseEther('0.01')),
    },
  ])
  const other = await read<{ priceNative: string; priceQuote: string }>(`/tokens/${quoted}`)
  t.match(other.body.data, {
    ...{ quote: { address: usdc, symbol: 'USDC', decimals: 6 }, targetQuote: String(dollars(20_000_000)) },
    ...{ realQuote: String(dollars(100_000)), progressPct: 0.5, liquidityUsd: 100_000 },
  })
  t.ok(Math.abs(Number(other.body.data.priceQuote) / 0.0063 - 1) < 0.1, other.body.data.priceQuote)

  const quote = await read<{ error: string }>(`/tokens/${token}/quote?side=buy&amount=1000`)
  t.equal(quote.status, 422)
  t.equal(quote.body.error, 'Trades with tokens of four.meme cannot be quoted here')
  const described = await read<{ launchpads: object[] }>('/config')
  const startBlock = Number(test.deployed.startBlock)
  t.match(described.body.data.launchpads[1], { ...launchpad, startBlock, capabilities: ['graduate', 'pool-trade'] })
  t.equal(described.body.data.launchpads.length, 2, 'the factory is no launchpad')
  for (const query of ['sort=newest', 'sort=curve', 'launchpad=four-meme'])
    t.match((await read<{ total: number }>(`/tokens?${query}`)).body.data, { total: 2 }, query)

  await fourMeme.buy(bob, token, parseEther('100'))
  await fourMeme.graduate(ann, token)
  await node.run(actions.swapBuy(bob, token, value))
  for (let block = 0; block < 13; block++) await node.mine()
  await indexToHead(db, test)
  const pool = await fourMeme.getPair(token)
  const { body } = await read<{ graduatedAt: string | null; liquidityUsd: number }>(`/tokens/${token}`)
  t.match(body.data, { status: 'graduated', poolAddress: pool, progressPct: 100, buys24h: 3, sells24h: 1 })
  t.ok(body.data.graduatedAt !== null && body.data.liquidityUsd > 0, 'the reserves of the pair are known')
  const { body: chart } = await read<{ candles: { open: number; trades: number }[] }>(
    `/tokens/${token}/chart?interval=1m`,
  )
  t.ok(chart.data.candles[0]!.open > 0)
  t.equal(
    chart.data.candles.reduce((sum, one) => sum + one.trades, 0),
    4,
  )
  const statistics = await read<{ items: { kind: string }[] }>('/stats/launchpads')
  t.match(
    statistics.body.data.items.find(({ kind }) => kind === 'four-meme'),
    { tokens: { total: 2 } },
  )
  const types = (await listLiveEvents(db, { after: 0, limit: 1_000 })).map(({ type }) => type)
  t.ok(types.includes('token.created') && types.includes('trade') && types.includes('token.graduated'))

  await t.test('feeds have its curve and its pair, with the fee of PancakeSwap', async (t) => {
    const ask = async <T>(url: string) => (await read(`/integrations/${url}`)).body as unknown as T
    const head = Number(await chain.client.getBlockNumber())
    const { events } = await ask<{ events: FeedEvent[] }>(`dexscreener/events?fromBlock=0&toBlock=${head - 12}`)
    t.strictSame(findFeedProblems(events, { from: 0, to: head }), [])
    const pairs = [getAddress(token), getAddress(quoted), getAddress(pool)]
    t.strictSame([...new Set(events.map(({ pairId }) => pairId))].sort(), pairs.sort())
    const { pair: curve } = await ask<{ pair: object }>(`dexscreener/pair?id=${getAddress(token)}`)
    t.match(curve, { dexKey: 'four-meme', asset0Id: getAddress(token) })
    t.notOk('feeBps' in curve)
    const { pair } = await ask<{ pair: object }>(`dexscreener/pair?id=${getAddress(pool)}`)
    t.match(pair, { id: getAddress(pool), dexKey: 'uniswap-v2', feeBps: 25 })
  })

  await t.test('trades in its pair are quoted by the router of the pair, with its calls', async (t) => {
    const quote = async (query: string) => {
      const { status, body } = await read<Static<typeof Quote>>(`/tokens/${token}/quote?recipient=${bob}&${query}`)
      t.equal(status, 200, query)
      return body.data
    }
    const send = async ({ to, data, value }: NonNullable<Static<typeof Quote>['call']>) =>
      (await node.run({ from: bob, to: to as Address, data: data as Hex, value: BigInt(value) }))[0]!
    const readPrice = async () =>
      Number((await read<{ priceNative: string }>(`/tokens/${token}`)).body.data.priceNative)
    const buying = await quote(`side=buy&amount=${parseEther('1')}`)
    const price = await readPrice()
    t.match(buying, {
      venue: 'pool',
      router: test.deployed.uniswapRouter,
      approval: null,
      amountIn: String(parseEther('1')),
    })
    t.ok(Math.abs(Number(buying.poolFee) / Number(parseEther('0.003')) - 1) < 1e-9, 'of this factory: 0.3 %')
    t.ok(Math.abs(Number(buying.priceBefore) / price - 1) < 1e-9)
    const { transactionHash } = await send(buying.call!)
    const { body: answered } = await post<{ trades: object[] }>('/buy', { txHash: transactionHash }, bob)
    t.match(answered.data.trades, [{ quoteAmount: String(parseEther('1')), tokenAmount: buying.amountOut }])
    t.ok(Math.abs(Number(buying.priceAfter) / (await readPrice()) - 1) < 1e-9)
    const selling = await quote(`side=sell&amount=${buying.amountOut}`)
    t.strictSame(selling.approval, { spender: test.deployed.uniswapRouter, amount: buying.amountOut })
    await node.run(approve(bob, token, selling.approval!.spender as Address, BigInt(buying.amountOut)))
    const sale = await send(selling.call!)
    const { body: paid } = await post<{ trades: object[] }>('/sell', { txHash: sale.transactionHash }, bob)
    t.match(paid.data.trades, [{ quoteAmount: selling.amountOut, tokenAmount: buying.amountOut }])
    const refused = await read<{ error: string }>(`/tokens/${token}/quote?side=buy&amount=${10n ** 60n}`)
    t.match(refused, { status: 422, body: { error: /cannot fill this amount/ } })
  })

  await t.test('four.meme needs the factory of its pairs', async (t) => {
    const others = config.deployments.filter(({ kind }) => kind !== 'uniswap-v2-factory')
    await t.rejects(
      resolveContracts(chain, { deployments: others, quotes: [] }),
      /names four-meme without uniswap-v2-factory/,
    )
  })
})
