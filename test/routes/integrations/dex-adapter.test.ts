import t from 'tap'
import { parseUnits } from 'viem'
import { tokenId } from '../../../db/token-ids.ts'
import { toFeedEvents } from '../../../records/integrations/to-feed-events.ts'
import { createFeedApp } from '../../support/feeds/app.ts'
import { type FeedEvent, findFeedProblems, isChecksummed } from '../../support/feeds/dex-feed.ts'
import { HIDDEN, liquidityOf, toTradeRow } from '../../support/market-rows.ts'
import {
  FEES,
  FINALIZED,
  HEAD,
  LAUNCHPAD,
  poolAddress,
  type SimulatedToken,
  TARGET,
  timeOf,
  tokenAddress,
  transactionHash,
  WRAPPED_NATIVE,
  walletAddress,
} from '../../support/market-simulation.ts'
import { insertTrades } from '../../support/readable-rows.ts'

interface Failure {
  success: boolean
  error: string
}

const { app, db, tokens, ask } = await createFeedApp(t)
const readEvents = async (from: number, to: number, reader = 'dexscreener') => {
  const { status, body } = await ask<{ events: FeedEvent[] }>(`${reader}/events?fromBlock=${from}&toBlock=${to}`)
  t.equal(status, 200)
  return body.events
}
const shown = tokens.filter(({ index }) => !HIDDEN.includes(index))
const lower = (id: string) => id.toLowerCase()
const all = await readEvents(0, FINALIZED)

for (const reader of ['dexscreener', 'geckoterminal']) {
  t.test(`${reader}: the latest block is final, and its time is its own`, async (t) => {
    const { body } = await ask(`${reader}/latest-block`)
    t.same(body, { block: { blockNumber: FINALIZED, blockTimestamp: timeOf(FINALIZED) } })
    t.ok(FINALIZED < HEAD)
  })

  t.test(`${reader}: every event matches the specification, and all are in order`, async (t) => {
    const events = await readEvents(0, FINALIZED, reader)
    t.ok(events.length > 200)
    t.same(findFeedProblems(events, { from: 0, to: FINALIZED }), [])
  })

  t.test(`${reader}: every asset and pair of an event is returned, with the same ids`, async (t) => {
    const events = await readEvents(0, FINALIZED, reader)
    for (const pairId of new Set(events.map(({ pairId }) => pairId))) {
      const { body } = await ask<{ pair: Record<string, string> }>(`${reader}/pair?id=${pairId}`)
      t.equal(body.pair.id, pairId)
      const asset = await ask<{ asset: Record<string, string> }>(`${reader}/asset?id=${body.pair.asset0Id}`)
      t.equal(asset.body.asset.id, body.pair.asset0Id)
      t.ok(asset.body.asset.name && asset.body.asset.symbol)
      t.equal(asset.body.asset.totalSupply, '1000000000')
      t.equal(lower(body.pair.asset1Id as string), WRAPPED_NATIVE)
    }
  })
}

t.test('both mounts return the same, and a matching ETag gets 304', async (t) => {
  const url = `/integrations/dexscreener/events?fromBlock=0&toBlock=${FINALIZED}`
  const [root, api] = await Promise.all([app.inject(url), app.inject(`/api${url}`)])
  t.equal(root.body, api.body)
  t.match(root.headers, { 'cache-control': 'public, no-cache', 'content-type': /^application\/json/ })
  const again = await app.inject({ url, headers: { 'if-none-match': root.headers.etag as string } })
  t.equal(again.statusCode, 304)
})

t.test('only GeckoTerminal’s assets have decimals', async (t) => {
  const id = tokenAddress(0)
  const [dex, gecko] = await Promise.all([
    ask<{ asset: object }>(`dexscreener/asset?id=${id}`),
    ask<{ asset: object }>(`geckoterminal/asset?id=${id}`),
  ])
  t.notOk('decimals' in dex.body.asset)
  t.same(gecko.body.asset, { ...dex.body.asset, decimals: 18 })
})

t.test('an asset includes its creator’s metadata, for an id in any letter case', async (t) => {
  const { body } = await ask<{ asset: Record<string, unknown> }>(
    `dexscreener/asset?id=${tokenAddress(0).toUpperCase().replace('X', 'x')}`,
  )
  t.ok(isChecksummed(body.asset.id as string))
  t.same(body.asset.metadata, {
    image: 'https://images.example.org/hcat.webp',
    description: 'The cat that sleeps on the slipway.',
    website: 'https://hcat.example.org',
  })
})

t.test('the wrapped native coin is an asset without a supply', async (t) => {
  const { body } = await ask<{ asset: Record<string, unknown> }>(`geckoterminal/asset?id=${WRAPPED_NATIVE}`)
  t.equal(lower(body.asset.id as string), WRAPPED_NATIVE)
  t.match(body.asset, { name: 'Wrapped Ether', symbol: 'WETH', decimals: 18 })
  t.notOk('totalSupply' in body.asset)
})

t.test('a token with an empty name and symbol gets replacements', async (t) => {
  const { name, symbol } = tokens[8] as SimulatedToken
  await db.updateTable('tokens').set({ name: '', symbol: '' }).where('address', '=', tokenAddress(8)).execute()
  const { body } = await ask<{ asset: { name: string; symbol: string } }>(`dexscreener/asset?id=${tokenAddress(8)}`)
  t.ok(body.asset.name && body.asset.symbol)
  await db.updateTable('tokens').set({ name, symbol }).where('address', '=', tokenAddress(8)).execute()
})

t.test('curve and pool are two pairs with the same assets in the same order', async (t) => {
  const token = tokens[5] as SimulatedToken
  const [curve, pool] = await Promise.all([
    ask<{ pair: Record<string, unknown> }>(`dexscreener/pair?id=${token.address}`),
    ask<{ pair: Record<string, unknown> }>(`dexscreener/pair?id=${poolAddress(5)}`),
  ])
  t.match(curve.body.pair, {
    dexKey: 'slipway',
    createdAtBlockNumber: token.block,
    createdAtBlockTimestamp: timeOf(token.block),
    createdAtTxnId: transactionHash(token.block, token.log),
    feeBps: FEES.protocol + FEES.creator,
  })
  t.match(pool.body.pair, {
    dexKey: 'uniswap-v2',
    createdAtBlockNumber: token.graduatedBlock,
    feeBps: 30,
    asset0Id: curve.body.pair.asset0Id,
    asset1Id: curve.body.pair.asset1Id,
    creator: curve.body.pair.creator,
  })
  t.equal(lower(pool.body.pair.id as string), poolAddress(5))
  t.equal(lower((pool.body.pair.metadata as { launchpad: string }).launchpad), LAUNCHPAD)
})

t.test('swaps are the trades of all visible tokens, each once', async (t) => {
  const swaps = all.filter(({ eventType }) => eventType === 'swap')
  const trades = shown
    .flatMap((token) => token.trades)
    .filter(({ block }) => block <= FINALIZED)
    .sort((a, b) => a.block - b.block || a.log - b.log)
  t.equal(swaps.length, trades.length)
  for (const [at, trade] of trades.entries()) {
    const swap = swaps[at] as FeedEvent
    const [tokenSide, coinSide] =
      trade.side === 'buy' ? [swap.asset0Out, swap.asset1In] : [swap.asset0In, swap.asset1Out]
    const pair = trade.venue === 'pool' ? poolAddress(Number(`0x${trade.token.slice(-4)}`)) : trade.token
    const served = [swap.txnId, swap.eventIndex, lower(swap.pairId), lower(swap.maker), tokenSide, coinSide].join()
    const units = [trade.tokenAmount, trade.quoteAmount].map((amount) => toCoins(amount))
    const wanted = [trade.txHash, 2 * trade.log, pair, trade.trader, ...units].join()
    if (served !== wanted) t.fail(`${served} is not ${wanted}`)
    const price = (trade.virtualQuote * 10n ** 50n) / trade.virtualToken
    if (parseUnits(swap.priceNative as string, 50) !== price)
      t.fail(`${swap.priceNative} is not the price of ${served}`)
  }
})

function toCoins(amount: bigint): string {
  const digits = amount.toString().padStart(19, '0')
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/, '')
}

t.test('events of one transaction share an index, different from other transactions', async (t) => {
  const sharing = all.filter((event) => all.filter(({ txnId }) => txnId === event.txnId).length > 1)
  t.ok(sharing.some(({ eventType }) => eventType === 'swap'))
  for (const { txnId, txnIndex } of sharing)
    t.ok(all.filter((other) => other.txnId === txnId).every((other) => other.txnIndex === txnIndex))
})

t.test('a graduation moves all liquidity from the curve to the pool, where the next swap uses it', async (t) => {
  const token = tokens[11] as SimulatedToken
  const moved = all.filter(
    ({ eventType, pairId }) => eventType !== 'swap' && [token.address, poolAddress(11)].includes(lower(pairId)),
  )
  const amounts = { amount0: toCoins(liquidityOf(token)), amount1: toCoins(TARGET) }
  t.match(moved, [
    { eventType: 'exit', ...amounts, reserves: { asset0: '0', asset1: '0' } },
    { eventType: 'join', ...amounts, reserves: { asset0: amounts.amount0, asset1: amounts.amount1 } },
  ])
  t.same(
    moved.map(({ pairId }) => lower(pairId)),
    [token.address, poolAddress(11)],
  )
  const curve = all.filter(({ eventType, pairId }) => eventType === 'swap' && lower(pairId) === token.address).at(-1)
  t.equal(curve?.reserves?.asset0, amounts.amount0, 'what the curve was left with is what leaves it')
  t.equal(curve?.reserves?.asset1, amounts.amount1)
})

t.test('two adjacent ranges return the same as their union', async (t) => {
  for (const cut of [0, 499, 500, 1_436, 2_599, 2_600, FINALIZED - 1]) {
    const parts = [...(await readEvents(0, cut)), ...(await readEvents(cut + 1, FINALIZED))]
    t.same(parts, all)
  }
  const busy = all[40] as FeedEvent
  const { blockNumber } = busy.block
  t.same(
    await readEvents(blockNumber, blockNumber),
    all.filter(({ block }) => block.blockNumber === blockNumber),
  )
  t.same(await readEvents(0, 0), [])
})

t.test('hidden tokens have no events, and hiding one moves no other event', async (t) => {
  for (const index of HIDDEN) {
    const id = tokenAddress(index)
    t.equal((await ask(`dexscreener/asset?id=${id}`)).status, 404)
    t.equal((await ask(`dexscreener/pair?id=${id}`)).status, 404)
    t.equal((await ask(`dexscreener/pair?id=${poolAddress(index)}`)).status, 404)
    t.notOk(all.some(({ pairId }) => [id, poolAddress(index)].includes(lower(pairId))))
  }
  const [first] = all as [FeedEvent]
  await db
    .updateTable('token_figures')
    .set({ hidden: true })
    .where('token_id', '=', tokenId(lower(first.pairId)))
    .execute()
  t.same(
    await readEvents(0, FINALIZED),
    all.filter(({ pairId }) => pairId !== first.pairId),
  )
  await db
    .updateTable('token_figures')
    .set({ hidden: false })
    .where('token_id', '=', tokenId(lower(first.pairId)))
    .execute()
})

t.test('a swap with a zero amount or without a price is excluded', async (t) => {
  const [trade] = (tokens[0] as SimulatedToken).trades
  const block = FINALIZED - 1
  const bad = [{ tokenAmount: 0n }, { quoteAmount: 0n }, { virtualQuote: 0n }, { virtualToken: 0n }]
  for (const [log, part] of bad.entries())
    await insertTrades(db, [
      {
        ...toTradeRow({ ...(trade as NonNullable<typeof trade>), virtualToken: 1n, ...part, block, log: 9_000 + log }),
        price: 0,
        ...('virtualToken' in part && { virtual_token: 0n }),
      },
    ])
  t.same(await readEvents(0, FINALIZED), all)
  await db.deleteFrom('trades').where('block_number', '=', block).where('log_index', '>=', 9_000).execute()
})

t.test('a synced trade ahead of the indexer is excluded until its block is final', async (t) => {
  const [trade] = (tokens[0] as SimulatedToken).trades
  await insertTrades(db, [toTradeRow({ ...(trade as NonNullable<typeof trade>), block: HEAD + 5, log: 0 })])
  t.match(await ask<Failure>(`dexscreener/events?fromBlock=${HEAD}&toBlock=${HEAD + 5}`), {
    status: 400,
    body: { success: false, error: `query.toBlock must not be after the latest block, ${FINALIZED}` },
  })
  await db
    .deleteFrom('trades')
    .where('block_number', '=', HEAD + 5)
    .execute()
})

t.test('for any row, no swap without a positive price is returned', async (t) => {
  const amounts = ['0', '1', '3', '999999999999999999', '123456789012345678901234567', `1${'0'.repeat(33)}`]
  const base = {
    block_number: 1,
    log_index: 1,
    block_time: 1,
    tx_hash: transactionHash(1, 1),
    first_log: 1,
    token: tokenAddress(0),
    maker: walletAddress(0),
    data: null,
    pool_quote: null,
    pool_token: null,
    pool: null,
    pool_type: 'uniswap-v2',
    decimals: 18,
    quote_decimals: 18,
    set_aside: '0',
    listed: true,
  }
  let count = 0
  for (const kind of ['buy', 'sell'] as const)
    for (const venue of ['curve', 'pool'] as const)
      for (const token_amount of amounts)
        for (const quote_amount of amounts)
          for (const virtual_quote of amounts)
            for (const virtual_token of amounts) {
              const reserves = { virtual_quote, virtual_token, real_quote: quote_amount, real_token: token_amount }
              const events = toFeedEvents({ ...base, kind, venue, token_amount, quote_amount, ...reserves })
              count += events.length
              const problems = findFeedProblems(events, { from: 1, to: 1 })
              if (problems.length > 0) t.fail(problems.join())
            }
  t.equal(count, 2 * 2 * 5 ** 4, 'events with amounts and a price are served')
})
