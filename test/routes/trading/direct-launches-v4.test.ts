import t from 'tap'
import { type Address, getAddress, parseEther, zeroAddress } from 'viem'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { type FeedEvent, findFeedProblems } from '../../support/feeds/dex-feed.ts'
import { deployClankerV4 } from '../../support/launchpads/clanker-v4.ts'
import { deployUniswapV4 } from '../../support/launchpads/uniswap-v4.ts'

t.setTimeout(400_000)

for (const isNative of [false, true])
  t.test(`a token in a pool of Uniswap V4 with the ${isNative ? 'native' : 'wrapped'} coin is served`, async (t) => {
    let deployed: {
      clanker: Awaited<ReturnType<typeof deployClankerV4>>
      venue: Awaited<ReturnType<typeof deployUniswapV4>>
    }
    const { read, post, accounts, config, chain, test, db, node } = await createChainApp(t, {}, async (test) => {
      const venue = await deployUniswapV4(test, test.deployed.weth)
      const clanker = await deployClankerV4(test, venue)
      deployed = { venue, clanker }
      const deployments = [
        ...test.config.deployments,
        { kind: 'clanker-v4', address: clanker.address, startBlock: 0 },
        { kind: 'uniswap-v4-pool-manager', address: venue.poolManager, startBlock: 0 },
      ]
      return { ...test.environment, DEPLOYMENTS: JSON.stringify(deployments) }
    })
    const { clanker, venue } = deployed!
    const [, ann, bob] = accounts as [Address, Address, Address]
    const { token, key, pool, receipt } = await clanker.createToken(ann, {
      ...{ name: 'Sloop', symbol: 'SLP', value: parseEther('1'), pairedToken: isNative ? zeroAddress : venue.weth },
    })
    const created = await post<object>('/tokens/create', { txHash: receipt.transactionHash }, ann)
    t.equal(created.status, 200)
    t.match(created.body.data, { tokens: [{ address: token, lifecycle: 'direct', poolAddress: pool }] })
    const first = await post('/buy', { txHash: receipt.transactionHash }, ann)
    t.equal(first.status, 403, 'the contract that launches buys, and passes on what it gets')
    const bought = await venue.swapBuy(bob, key, parseEther('2'))
    t.equal((await post('/buy', { txHash: bought.transactionHash }, bob)).status, 200)
    const { body: held } = await read<{ items: { tokenAmount: string }[] }>(`/tokens/${token}/trades`)
    const half = BigInt(held.data.items[0]!.tokenAmount) / 2n
    const sold = await venue.swapSell(bob, key, token, half)
    t.equal((await post('/sell', { txHash: sold.transactionHash }, bob)).status, 200)
    for (let block = 0; block < 13; block++) await node.mine()
    await indexToHead(db, test)

    const launchpad = { kind: 'clanker-v4', address: clanker.address, name: 'Clanker v4' }
    const { body } = await read<{ priceNative: string }>(`/tokens/${token}`)
    t.match(body.data, {
      ...{ launchpad, status: 'graduated', lifecycle: 'direct', graduatedAt: null, poolAddress: pool },
      ...{ virtualQuote: '0', realQuote: '0', realToken: '0', targetQuote: '0', liquidityUsd: null },
      ...{ protocolFeeBps: null, creatorFeeBps: null, buys24h: 2, sells24h: 1, holderCount: 2 },
    })
    t.match(pool, /^0x[0-9a-f]{64}$/)
    t.ok(Number(body.data.priceNative) > 0)
    const trades = await read<{ items: object[] }>(`/tokens/${token}/trades`)
    t.match(trades.body.data.items, [
      { trader: bob, side: 'sell', venue: 'pool', tokenAmount: String(half) },
      { trader: bob, side: 'buy', venue: 'pool', quoteAmount: String(parseEther('2')) },
      { trader: clanker.address, side: 'buy', venue: 'pool', quoteAmount: String(parseEther('1')) },
    ])
    const holders = await read<{ items: { address: string; label: string | null }[] }>(`/tokens/${token}/holders`)
    // What rounding leaves of the liquidity stays with the launchpad.
    const labels = Object.fromEntries(holders.body.data.items.map(({ address, label }) => [address, label]))
    t.strictSame(labels, { [venue.poolManager]: 'pool', [ann]: 'creator', [bob]: null, [clanker.address]: 'curve' })
    const { body: chart } = await read<{ candles: { open: number; trades: number }[] }>(
      `/tokens/${token}/chart?interval=1m`,
    )
    const [candle] = chart.data.candles
    t.ok(Math.abs(candle!.open / 1.0001 ** -230_400 - 1) < 1e-6, 'the first candle opens at the starting tick')
    t.equal(
      chart.data.candles.reduce((sum, one) => sum + one.trades, 0),
      3,
    )
    const quote = await read<{ error: string }>(`/tokens/${token}/quote?side=buy&amount=1000`)
    t.match([quote.status, quote.body.error], [422, 'Trades with tokens of Clanker v4 cannot be quoted here'])
    const described = await read<{ launchpads: object[] }>('/config')
    t.match(described.body.data.launchpads[1], { ...launchpad, startBlock: 0, capabilities: [] })

    await t.test('feeds name its pool by the id', async (t) => {
      const ask = async <T>(url: string) => (await read(`/integrations/${url}`)).body as unknown as T
      const head = Number(await chain.client.getBlockNumber())
      const { events } = await ask<{ events: FeedEvent[] }>(`dexscreener/events?fromBlock=0&toBlock=${head - 12}`)
      const full = events.map((event) => ({ ...event, reserves: { asset0: '0', asset1: '0' } }))
      t.strictSame(findFeedProblems(full, { from: 0, to: head }), [])
      t.strictSame([...new Set(events.map(({ pairId }) => pairId))], [pool])
      t.equal(events.length, 3)
      const { pair } = await ask<{ pair: object }>(`dexscreener/pair?id=${pool}`)
      t.match(pair, { id: pool, dexKey: 'uniswap-v4', asset0Id: getAddress(token), asset1Id: getAddress(venue.weth) })
      t.notOk('feeBps' in pair)
      t.equal((await read(`/integrations/dexscreener/pair?id=${getAddress(token)}`)).status, 404, 'it has no curve')
      t.equal((await read(`/integrations/dexscreener/pair?id=${pool.slice(0, -2)}`)).status, 400)
      t.match(await ask<object[]>('coingecko/tickers'), [{ pool_id: pool, base_currency: getAddress(token) }])
    })

    await t.test('the manager is no insider, although the creator sells to it', async (t) => {
      const amountIn = parseEther('1000000000')
      const sale = { key, tokenIn: token, amountIn }
      // Settled together, so the transfer is of no single trade.
      const [, sold] = await node.run(
        venue.actions.approve(ann, token, 2n * amountIn),
        venue.actions.swapTogether(ann, [sale, sale]),
      )
      t.equal((await post('/sell', { txHash: sold!.transactionHash }, ann)).status, 200)
      const { body } = await read<{ risk: { creatorSoldPct: number } }>(`/tokens/${token}`)
      t.match(body.data.risk, { insiders: { count: 0 } })
      t.ok(body.data.risk.creatorSoldPct > 0)
    })

    await t.test('Clanker v4 needs the manager of its pools, and one alone', async (t) => {
      const others = config.deployments.filter(({ kind }) => kind !== 'uniswap-v4-pool-manager')
      await t.rejects(
        resolveContracts(chain, { deployments: others, quotes: [] }),
        /names clanker-v4 without uniswap-v4-pool-manager/,
      )
      const twice = [...config.deployments, { kind: 'uniswap-v4-pool-manager', address: ann, startBlock: 0 } as const]
      await t.rejects(
        resolveContracts(chain, { deployments: twice, quotes: [] }),
        /names more than one uniswap-v4-pool-manager/,
      )
    })
  })
