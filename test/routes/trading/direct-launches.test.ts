import t from 'tap'
import { type Address, getAddress, parseEther } from 'viem'
import { getToken } from '../../../db/queries/tokens.ts'
import { renderTokenHead } from '../../../features/web-client/page-head.ts'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { type FeedEvent, findFeedProblems } from '../../support/feeds/dex-feed.ts'
import { deployClankerV31 } from '../../support/launchpads/clanker-v31.ts'
import { deployVenue } from '../../support/launchpads/venue.ts'
import { listLiveEvents } from '../../support/outbox.ts'

t.setTimeout(400_000)

t.test('a token that is launched in its pool is served without a curve, and never graduates', async (t) => {
  let deployed: {
    clanker: Awaited<ReturnType<typeof deployClankerV31>>
    venue: Awaited<ReturnType<typeof deployVenue>>
  }
  const { read, post, app, accounts, config, chain, test, db, node } = await createChainApp(t, {}, async (test) => {
    const venue = await deployVenue(test, test.deployed.weth)
    const clanker = await deployClankerV31(test, venue)
    deployed = { venue, clanker }
    const deployments = [
      ...test.config.deployments,
      { kind: 'clanker-v31', address: clanker.address, startBlock: 0 },
      { kind: 'uniswap-v3-factory', address: venue.factory, startBlock: 0 },
    ]
    return { ...test.environment, DEPLOYMENTS: JSON.stringify(deployments) }
  })
  const { clanker, venue } = deployed!
  const [, ann, bob] = accounts as [Address, Address, Address]
  await post(`/follows/${ann}`, {}, bob)
  const { token, pool, receipt } = await clanker.createToken(ann, {
    name: 'Sloop',
    symbol: 'SLP',
    value: parseEther('1'),
  })
  const created = await post<object>('/tokens/create', { txHash: receipt.transactionHash }, ann)
  t.equal(created.status, 200)
  t.match(created.body.data, { tokens: [{ address: token, lifecycle: 'direct' }] })
  const first = await post<{ trade: object }>('/buy', { txHash: receipt.transactionHash }, ann)
  t.equal(first.status, 200, 'the purchase of the launch is a trade')
  const bought = await venue.swapBuy(bob, pool, parseEther('2'))
  t.equal((await post('/buy', { txHash: bought.transactionHash }, bob)).status, 200)
  const { body: held } = await read<{ items: { tokenAmount: string }[] }>(`/tokens/${token}/trades`)
  const sold = await venue.swapSell(bob, pool, token, BigInt(held.data.items[0]!.tokenAmount) / 2n)
  t.equal((await post('/sell', { txHash: sold.transactionHash }, bob)).status, 200)
  for (let block = 0; block < 13; block++) await node.mine()
  await indexToHead(db, test)

  const launchpad = { kind: 'clanker-v31', address: clanker.address, name: 'Clanker v3.1' }
  const { body } = await read<{ priceNative: string; priceChangePct: { h24: number } }>(`/tokens/${token}`)
  t.match(body.data, {
    ...{ launchpad, status: 'graduated', lifecycle: 'direct', graduatedAt: null, poolAddress: pool, progressPct: 100 },
    ...{ virtualQuote: '0', virtualToken: '0', realQuote: '0', realToken: '0', targetQuote: '0' },
    ...{ protocolFeeBps: null, creatorFeeBps: null, liquidityUsd: null, buys24h: 2, sells24h: 1 },
  })
  t.ok(Number(body.data.priceNative) > 0)
  t.ok(body.data.priceChangePct.h24 > 0, 'since the first price of the pool')
  const trades = await read<{ items: object[] }>(`/tokens/${token}/trades`)
  t.match(trades.body.data.items, [
    { trader: bob, side: 'sell', venue: 'pool' },
    { trader: bob, side: 'buy', venue: 'pool' },
    { trader: ann, side: 'buy', venue: 'pool', quoteAmount: String(parseEther('1')) },
  ])
  for (const query of ['sort=newest', 'sort=graduated', 'status=graduated', 'launchpad=clanker-v31']) {
    const listed = await read<{ items: object[]; total: number }>(`/tokens?${query}`)
    t.match(listed.body.data, { items: [{ address: token, lifecycle: 'direct' }], total: 1 }, query)
  }
  t.match((await read<{ items: object[] }>('/tokens?sort=curve')).body.data, { items: [] })
  t.match((await read('/stats')).body.data, { tokens: { total: 1, onCurve: 0, graduated: 1 } })
  const history = await read<{ items: object[] }>(`/transactions?token=${token}`)
  t.strictSame(
    history.body.data.items.map((item) => (item as { type: string }).type),
    ['sell', 'buy', 'create', 'buy'],
    'no graduation',
  )
  t.match((await read(`/tokens/${token}/creator`)).body.data, { launched: 1, graduated: 0 })

  const { body: chart } = await read<{ candles: { open: number; trades: number }[] }>(
    `/tokens/${token}/chart?interval=1m`,
  )
  const candles = chart.data.candles
  t.ok(Math.abs(candles[0]!.open / 1.0001 ** -230_400 - 1) < 1e-6, 'the first candle opens at the starting tick')
  t.equal(
    candles.reduce((sum, one) => sum + one.trades, 0),
    3,
  )

  const quote = await read<{ error: string }>(`/tokens/${token}/quote?side=buy&amount=1000`)
  t.equal(quote.status, 422)
  t.equal(quote.body.error, 'Trades with tokens of Clanker v3.1 cannot be quoted here')
  const described = await read<{ launchpads: object[] }>('/config')
  t.match(described.body.data.launchpads[1], { ...launchpad, startBlock: 0, capabilities: [] })

  const types = (await listLiveEvents(db, { after: 0, limit: 1_000 })).map(({ type }) => type)
  t.ok(types.includes('token.created') && types.includes('trade'))
  t.notOk(types.includes('token.graduated'))
  const notices = await db.selectFrom('notifications').select(['recipient', 'type']).execute()
  t.ok(notices.some(({ type }) => type === 'followed_creator_launched'))
  t.notOk(notices.some(({ type }) => type === 'graduated'))

  await t.test('feeds name its pool from the launch on, and no curve', async (t) => {
    const ask = async <T>(url: string) => (await read(`/integrations/${url}`)).body as unknown as T
    const head = Number(await chain.client.getBlockNumber())
    const { events } = await ask<{ events: FeedEvent[] }>(`dexscreener/events?fromBlock=0&toBlock=${head - 12}`)
    // The logs of such a pool do not contain its reserves.
    const full = events.map((event) => ({ ...event, reserves: { asset0: '0', asset1: '0' } }))
    t.strictSame(findFeedProblems(full, { from: 0, to: head }), [])
    t.notOk(events.some((event) => 'reserves' in event))
    t.strictSame([...new Set(events.map(({ pairId }) => pairId))], [getAddress(pool)])
    t.equal(events.length, 3)
    const { pair } = await ask<{ pair: object }>(`dexscreener/pair?id=${getAddress(pool)}`)
    t.match(pair, { id: getAddress(pool), dexKey: 'uniswap-v3', asset0Id: getAddress(token) })
    t.match(pair, { createdAtBlockNumber: Number(receipt.blockNumber), createdAtTxnId: receipt.transactionHash })
    t.equal((await read(`/integrations/dexscreener/pair?id=${getAddress(token)}`)).status, 404, 'it has no curve')
    const tickers = await ask<object[]>('coingecko/tickers')
    t.match(tickers, [{ pool_id: getAddress(pool), base_currency: getAddress(token) }])
    const list = await ask<{ tokens: object[] }>('tokenlist')
    t.match(list.tokens, [{ address: getAddress(token) }])
    const span = `from=0&to=4102444800`
    const marks = await ask<{ label: string[] }>(`udf/marks?symbol=${token}&resolution=1&${span}`)
    t.strictSame(marks.label, ['L'])
    const bars = await ask<{ s: string; o: number[] }>(`udf/history?symbol=${token}&resolution=1&${span}`)
    t.equal(bars.s, 'ok')
    t.equal(bars.o[0], candles[0]!.open)
  })

  await t.test('its card and its page show no curve', async (t) => {
    const card = await app.inject(`/og/token/${token}`)
    t.equal(card.statusCode, 200)
    t.equal(card.headers['content-type'], 'image/png')
    const page = renderTokenHead(await getToken(db, token), { brand: config.brand, publicUrl: config.publicUrl })
    t.match(page, /Trades in its pool/)
    t.notMatch(page, /of the curve sold|Graduated/)
  })

  await t.test('Clanker v3.1 needs the factory of its pools', async (t) => {
    const others = config.deployments.filter(({ kind }) => kind !== 'uniswap-v3-factory')
    await t.rejects(
      resolveContracts(chain, { deployments: others, quotes: [] }),
      /names clanker-v31 without uniswap-v3-factory/,
    )
  })
})
