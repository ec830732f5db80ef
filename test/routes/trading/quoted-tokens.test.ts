import t from 'tap'
import { type Address, parseEther } from 'viem'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import {
  coins,
  deploymentsOf,
  deployQuoted,
  dollars,
  type QuotedChain,
  quotesOf,
} from '../../indexer/fixtures/launchpads/quoted.ts'
import { makeActions } from '../../support/actors.ts'
import { createChainApp } from '../../support/chain-app.ts'

t.setTimeout(400_000)

interface Asset {
  address: string
  symbol: string
  decimals: number
}

interface Token {
  address: string
  quote: Asset
  priceQuote: string
  priceNative: string
  priceUsd: number
  marketCapUsd: number
  volume: { total: string }
  volumeQuote: { total: string }
}

interface Trade {
  quote: Asset
  quoteAmount: string
  priceQuote: string
  priceNative: string
  valueUsd: number
}

interface Holding {
  token: string
  quote: Asset
  valueQuote: string
  valueNative: string
  valueUsd: number
  costQuote: string
  costNative: string
}

const isNear = (a: number, b: number) => Math.abs(a / b - 1) < 1e-6

t.test(
  'records of tokens in other assets name the asset, and have amounts in it, in native coin and in US dollars',
  async (t) => {
    const made: { quoted?: QuotedChain } = {}
    const { read, post, ask, accounts, node, deployed, db, test } = await createChainApp(t, {}, async (started) => {
      made.quoted = await deployQuoted(started)
      const [DEPLOYMENTS, QUOTES] = [deploymentsOf(made.quoted, started), quotesOf(made.quoted)]
      return { ...started.environment, DEPLOYMENTS: JSON.stringify(DEPLOYMENTS), QUOTES: JSON.stringify(QUOTES) }
    })
    const { launchpad, usdc, btc, feed } = made.quoted!
    const [, ann, bob] = accounts as [Address, Address, Address]
    const asset = { address: usdc, symbol: 'USDC', decimals: 6 }
    const { token, receipt } = await launchpad.create(ann, usdc, 'KTCH', dollars(4_000))
    t.equal((await post('/tokens/create', { txHash: receipt.transactionHash }, ann)).status, 200)
    const bought = await launchpad.buy(bob, token, dollars(100))
    const synced = await post<{ trade: Trade }>('/buy', { txHash: bought.transactionHash }, bob)
    t.equal(synced.status, 200)
    const { token: other } = await launchpad.create(ann, btc, 'YAWL', coins(4))
    await launchpad.buy(bob, other, coins(0.01))
    const native = await node.run(makeActions(deployed).launch(bob, 'COIN', parseEther('0.5')))
    t.ok(native)
    await indexToHead(db, test)

    const config = await read<{ quotes: object[] }>('/config')
    t.match(config.body.data.quotes, [
      { symbol: 'ETH', decimals: 18 },
      { ...asset, usdRoute: [] },
      { address: btc, symbol: 'BTC', decimals: 8, usdRoute: [feed] },
    ])
    const { body } = await read<Token>(`/tokens/${token}`)
    const record = body.data
    t.match(record, { quote: asset, volumeQuote: { total: String(dollars(100)) } })
    t.ok(isNear(record.priceUsd, Number(record.priceQuote)), 'the asset is worth a dollar')
    t.ok(isNear(record.marketCapUsd, record.priceUsd * 1e9))
    const stats = await read<{ quoteUsd: number; total: { volume: string; volumeUsd: number } }>('/stats')
    const { quoteUsd, total } = stats.body.data
    t.ok(isNear(Number(record.priceNative) * quoteUsd, record.priceUsd))
    t.ok(isNear((Number(record.volume.total) / 1e18) * quoteUsd, 100))
    t.ok(isNear(total.volumeUsd, 100 + 600 + 0.5 * quoteUsd), 'the sums of the platform', total)
    t.ok(isNear((Number(total.volume) / 1e18) * quoteUsd, total.volumeUsd))

    const trades = await read<{ items: Trade[] }>(`/tokens/${token}/trades`)
    const [trade] = trades.body.data.items
    t.match(trade, { quote: asset, quoteAmount: String(dollars(100)), valueUsd: 100, priceQuote: record.priceQuote })
    t.ok(isNear(Number(trade!.priceNative), Number(record.priceNative)))

    const chart = (currency: string) =>
      read<{ quote: Asset; candles: { close: number; volumeNative: string; volumeQuote: string }[] }>(
        `/tokens/${token}/chart?interval=1m&currency=${currency}`,
      )
    for (const [currency, price] of [
      ['quote', record.priceQuote],
      ['native', record.priceNative],
      ['usd', record.priceUsd],
    ] as const) {
      const { quote, candles } = (await chart(currency)).body.data
      t.match(quote, asset)
      t.ok(isNear(candles.at(-1)!.close, Number(price)), currency)
      const sum = candles.reduce((all, { volumeQuote }) => all + BigInt(volumeQuote), 0n)
      t.equal(sum, dollars(100))
    }

    const portfolio = (
      await read<{ holdings: Holding[]; totalValueNative: string; totalValueUsd: number }>(`/portfolio?wallet=${bob}`)
    ).body.data
    t.equal(portfolio.holdings.length, 3)
    const held = portfolio.holdings.find((one) => one.token === token)!
    t.match(held, { quote: asset, costQuote: String(dollars(100)) })
    t.ok(isNear(held.valueUsd, Number(held.valueQuote) / 1e6))
    t.ok(isNear((Number(held.valueNative) / 1e18) * quoteUsd, held.valueUsd))
    const native18 = portfolio.holdings.reduce((sum, { valueNative }) => sum + BigInt(valueNative), 0n)
    t.equal(portfolio.totalValueNative, String(native18))
    const inUsd = portfolio.holdings.reduce((sum, { valueUsd }) => sum + valueUsd, 0)
    t.ok(isNear(portfolio.totalValueUsd, inUsd))
    t.ok(portfolio.holdings[0]!.token !== token, 'the most valuable first, by value and not by base units')

    const leaders = await read<{ items: { wallet: string; volumeNative: string; volumeUsd: number }[] }>('/leaderboard')
    const [leader] = leaders.body.data.items
    const filtered = await read<{ items: Token[] }>(`/tokens?quote=${usdc.toUpperCase().replace('0X', '0x')},${btc}`)
    t.strictSame(new Set(filtered.body.data.items.map(({ address }) => address)), new Set([token, other]))
    const natives = await read<{ items: Token[] }>(`/tokens?quote=0x${'0'.repeat(40)}`)
    t.equal(natives.body.data.items.length, 1)
    t.match(natives.body.data.items, [{ quote: { symbol: 'ETH' } }])
    t.equal((await read<{ items: object[] }>(`/tokens?quote=${ann}`)).body.data.items.length, 0)
    t.match(leader, { wallet: bob })
    t.ok(isNear(leader!.volumeUsd, 100 + 600 + 0.5 * quoteUsd))
    t.ok(isNear((Number(leader!.volumeNative) / 1e18) * quoteUsd, leader!.volumeUsd))

    const listed = await read<{ items: Token[] }>('/tokens?sort=volume')
    t.equal(listed.body.data.items.at(-1)!.address, token, 'the order is by value')
    t.match((await read<{ items: object[] }>(`/transactions?token=${other}&type=buy`)).body.data.items, [
      { quote: { address: btc, symbol: 'BTC', decimals: 8 }, amounts: { quoteAmount: String(coins(0.01)) } },
    ])
    const creation = await read<{ created: { quote: Asset; feesEarned: string }[] }>(`/portfolio?wallet=${ann}`)
    t.match(
      creation.body.data.created.find(({ quote }) => quote.address === usdc),
      { feesEarned: String(dollars(0.5)) },
    )
    t.equal((await read(`/tokens/${token}/quote?side=buy&amount=1000`)).status, 422, 'calls pay in native coin')

    const symbol = await ask<never>({ method: 'GET', url: `/integrations/udf/symbols?symbol=${token}` })
    t.equal((symbol.body as unknown as { currency_code: string }).currency_code, 'ETH')
    const pair = await ask<never>({ method: 'GET', url: `/integrations/dexscreener/pair?id=${token}` })
    t.equal(pair.status, 200)
    t.equal((pair.body as unknown as { pair: { asset1Id: string } }).pair.asset1Id.toLowerCase(), usdc)
    const first = await read<{ items: Trade[] }>(`/tokens/${token}/first-buyers`)
    t.match(first.body.data.items, [{ quote: asset }])
    const top = await read<{ items: object[] }>(`/tokens/${token}/top-traders`)
    t.match(top.body.data.items, [{ quote: asset, spent: String(dollars(100)) }])
  },
)
