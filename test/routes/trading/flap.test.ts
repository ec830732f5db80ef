import t from 'tap'
import { type Address, getAddress, parseEther } from 'viem'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { extendFlap } from '../../indexer/fixtures/launchpads/flap.ts'
import { createChainApp } from '../../support/chain-app.ts'
import { type FeedEvent, findFeedProblems } from '../../support/feeds/dex-feed.ts'
import { FLAP_TERMS } from '../../support/launchpads/flap.ts'
import { listLiveEvents } from '../../support/outbox.ts'

t.setTimeout(400_000)

t.test('tokens of Flap are served with their curve, and with the pools of two types', async (t) => {
  let made: Awaited<ReturnType<typeof extendFlap>>
  const { read, post, accounts, chain, test, db, node } = await createChainApp(t, {}, async (test) => {
    made = await extendFlap(test)
    const { deployments, quotes } = made
    return { ...test.environment, DEPLOYMENTS: JSON.stringify(deployments), QUOTES: JSON.stringify(quotes) }
  })
  const { flap, actions, v3 } = made!
  const [, ann, bob] = accounts as [Address, Address, Address]
  const { token, receipt } = await flap.createToken(ann, { name: 'Brig', symbol: 'BRIG' })
  const created = await post('/tokens/create', { txHash: receipt.transactionHash, description: 'A brig' }, ann)
  t.match(created, { status: 200, body: { data: { tokens: [{ address: token, description: 'A brig' }] } } })
  const launchpad = { kind: 'flap', address: flap.address, name: 'Flap' }
  const fresh = await read<{ priceNative: string }>(`/tokens/${token}`)
  t.match(fresh.body.data, {
    ...{ launchpad, status: 'curve', lifecycle: 'curve', progressPct: 0, graduatedAt: null, poolAddress: null },
    ...{ virtualQuote: String(FLAP_TERMS.r), realQuote: '0', realToken: String(FLAP_TERMS.threshold) },
    ...{ targetQuote: String(parseEther('5')), protocolFeeBps: null, creatorFeeBps: null },
    metadataUri: 'ipfs://bafkreibrig',
  })
  t.ok(Number(fresh.body.data.priceNative) > 0, 'a price before the first trade')
  const value = parseEther('1')
  const bought = await flap.buy(bob, token, value)
  t.equal((await post('/buy', { txHash: bought.transactionHash }, bob)).status, 200)
  t.match((await read(`/tokens/${token}`)).body.data, { progressPct: 19.8 })
  t.match(await read(`/tokens/${token}/quote?side=buy&amount=${value}`), { status: 422, body: { error: /Flap/ } })

  const { token: other } = await flap.createToken(ann, { migrator: 'v3', value })
  for (const one of [token, other]) await flap.buy(ann, one, parseEther('100'))
  await indexToHead(db, test)
  const poolOf = async (one: Address) => (await flap.getState(one)).pool.toLowerCase() as Address
  const [pair, pool] = [await poolOf(token), await poolOf(other)]
  await v3.swapBuy(bob, pool, parseEther('0.1'))
  const [swapped] = await node.run(actions.swapBuy(bob, token, value))
  t.equal((await post('/buy', { txHash: swapped!.transactionHash }, bob)).status, 200)
  await indexToHead(db, test)
  const inPair = await read<{ liquidityNative: string | null }>(`/tokens/${token}`)
  t.match(inPair.body.data, { status: 'graduated', poolAddress: pair, progressPct: 100 })
  t.match((await read(`/tokens/${other}`)).body.data, { status: 'graduated', poolAddress: pool })
  t.match(await read(`/tokens/${token}/quote?side=buy&amount=${value}`), { status: 422 })
  const config = await read<{ deployments: object[] }>('/config')
  t.match(
    JSON.stringify(config.body.data),
    /"kind":"flap","address":"0x\w+","name":"Flap","startBlock":\d+,"capabilities":\["graduate"\]/,
  )
  const types = (await listLiveEvents(db, { after: 0, limit: 1_000 })).map(({ type }) => type)
  t.ok(types.includes('token.created') && types.includes('trade') && types.includes('token.graduated'))

  await t.test('feeds have its curve, its pair and its pool', async (t) => {
    const ask = async <T>(url: string) => (await read(`/integrations/${url}`)).body as unknown as T
    // Feeds end before the newest blocks.
    const head = Number(await chain.client.getBlockNumber())
    for (let block = 0; block < 12; block++) await node.mine()
    await indexToHead(db, test)
    const { events } = await ask<{ events: FeedEvent[] }>(`dexscreener/events?fromBlock=0&toBlock=${head}`)
    // The logs of a pool of V3 do not contain its reserves.
    const inPool = events.filter(({ pairId }) => pairId === getAddress(pool))
    t.match(
      inPool.map(({ eventType }) => eventType),
      ['join', 'swap'],
    )
    t.notOk(inPool.some((event) => 'reserves' in event))
    const full = events.map((event) => ({ reserves: { asset0: '0', asset1: '0' }, ...event }))
    t.strictSame(findFeedProblems(full, { from: 0, to: head }), [])
    t.strictSame(
      events.filter((event) => !('reserves' in event)),
      inPool,
    )
    const ids = [token, other, pair, pool].map((one) => getAddress(one))
    t.strictSame([...new Set(events.map(({ pairId }) => pairId))].sort(), ids.sort())
    const pairs = async (id: Address) => (await ask<{ pair: object }>(`dexscreener/pair?id=${getAddress(id)}`)).pair
    t.match(await pairs(token), { dexKey: 'flap', asset0Id: getAddress(token) })
    t.match(await pairs(pair), { dexKey: 'uniswap-v2', asset0Id: getAddress(token) })
    t.match(await pairs(pool), { dexKey: 'uniswap-v3', asset0Id: getAddress(other) })
    t.notOk('feeBps' in (await pairs(pair)), 'the fee of the pair differs by chain')
  })
})
