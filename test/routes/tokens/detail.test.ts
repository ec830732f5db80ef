import type { Static } from '@sinclair/typebox'
import t from 'tap'
import { formatRatio } from '../../../chain/price.ts'
import type { Token } from '../../../schemas/tokens.ts'
import { createMarketApp } from '../../support/market-app.ts'
import { DESCRIBED, HIDDEN } from '../../support/market-rows.ts'
import {
  BURN_ADDRESS,
  creatorOf,
  LAUNCHPAD,
  poolAddress,
  type SimulatedToken,
  timeOf,
  tokenAddress,
  transactionHash,
} from '../../support/market-simulation.ts'

type Record = Static<typeof Token>

const { app, read, send, tokens } = await createMarketApp(t)
const tokenOf = (index: number) => tokens[index] as SimulatedToken
const iso = (block: number) => new Date(timeOf(block) * 1000).toISOString()
const failure = (status: number, error: string) => ({ status, body: { success: false, data: null, error } })

t.test('a token on its curve has all fields', async (t) => {
  const { curve, trades, balances, block } = tokenOf(DESCRIBED)
  const { status, body } = await read<Record>(`/tokens/${tokenAddress(DESCRIBED)}`)
  t.equal(status, 200)
  const price = Number(curve.virtualQuote) / Number(curve.virtualToken)
  const { priceUsd, marketCapUsd, athMarketCapUsd, top10Pct, ...exact } = body.data
  t.ok(Math.abs((priceUsd as number) / (price * 3000) - 1) < 1e-12)
  t.ok(Math.abs((marketCapUsd as number) / (price * 3e12) - 1) < 1e-9)
  t.ok(Math.abs((athMarketCapUsd as number) / (price * 3e12) - 1) < 1e-9)
  const held = [...balances].filter(([wallet, balance]) => wallet !== LAUNCHPAD && balance > 0n)
  t.equal(top10Pct, Number(held.reduce((sum, [, balance]) => sum + balance, 0n) / 10n ** 19n) / 1e6)
  const total = trades.reduce((sum, { quoteAmount }) => sum + quoteAmount, 0n)
  const expected = {
    address: tokenAddress(DESCRIBED),
    chainId: 31337,
    name: 'Harbour Cat',
    symbol: 'HCAT',
    decimals: 18,
    totalSupply: '1000000000000000000000000000',
    description: 'The cat that sleeps on the slipway.',
    imageUrl: 'https://images.example.org/hcat.webp',
    bannerUrl: null,
    metadataUri: 'ipfs://token-0',
    links: { website: 'https://hcat.example.org', twitter: null, telegram: null, discord: null },
    creator: creatorOf(0),
    createdAt: '2033-05-18T03:35:00.000Z',
    blockNumber: block,
    txHash: transactionHash(1, 0),
    logIndex: 0,
    confirmed: true,
    status: 'curve',
    progressPct: Number((curve.realQuote * 100_000_000n) / curve.targetQuote) / 1e6,
    graduatedAt: null,
    lifecycle: 'curve',
    poolAddress: null,
    launchpad: { kind: 'slipway', address: LAUNCHPAD, name: 'Slipway' },
    quote: { address: `0x${'0'.repeat(40)}`, symbol: 'ETH', decimals: 18 },
    virtualQuote: String(curve.virtualQuote),
    virtualToken: String(curve.virtualToken),
    realQuote: String(curve.realQuote),
    realToken: String(curve.realToken),
    targetQuote: '4000000000000000000',
    protocolFeeBps: 100,
    creatorFeeBps: 50,
    priceNative: formatRatio(curve.virtualQuote, curve.virtualToken),
    priceQuote: formatRatio(curve.virtualQuote, curve.virtualToken),
    liquidityUsd: Number((curve.realQuote * 3000n) / 10n ** 10n) / 1e8,
    volume: { h1: '0', h24: '0', total: String(total) },
    volumeQuote: { h1: '0', h24: '0', total: String(total) },
    volumeUsd24h: 0,
    priceChangePct: { m5: 0, h1: 0, h24: 0 },
    buys24h: 0,
    sells24h: 0,
    traders24h: 0,
    lastTradeAt: iso(trades.at(-1)?.block ?? 0),
    holderCount: held.length,
    creatorHeldPct: 0,
    sniperPct: 0,
    bundlerPct: 0,
    commentCount: 0,
    likeCount: 0,
    likedByMe: null,
    watchedByMe: null,
    featured: true,
    hidden: false,
    symbolTakenBefore: false,
    risk: {
      snipers: { count: 1, pct: 0.782221 },
      bundlers: { count: 0, pct: 0 },
      insiders: { count: 0, pct: 0 },
      freshWallets: { count: 5, pct: 12.158663 },
      washTradePct: 0,
      creatorSoldPct: 0,
    },
    suspicious: { count: 1, pct: 0.782221 },
  }
  // Counts of other domains start at zero. Any other new field has to be listed above.
  const counts = Object.keys(exact).filter((field) => /Count$/.test(field) && !(field in expected))
  t.same(exact, { ...expected, ...Object.fromEntries(counts.map((field) => [field, 0])) })
})

t.test('a graduated token takes price and liquidity from its pool', async (t) => {
  const { pool, graduatedBlock } = tokenOf(29)
  const { body } = await read<Record>(`/tokens/${tokenAddress(29)}`)
  t.match(body.data, {
    status: 'graduated',
    progressPct: 100,
    graduatedAt: iso(graduatedBlock as number),
    poolAddress: poolAddress(29),
    priceNative: formatRatio(pool?.quote ?? 0n, pool?.token ?? 0n),
    liquidityUsd: 27_000,
  })
})

t.test(
  'price changes compare with the price when their window began, or with the launch price of later tokens',
  async (t) => {
    const { trades } = tokenOf(20)
    const priceAt = (time: number) => {
      const last = trades.findLast(({ block }) => timeOf(block) <= time)
      return last ? Number(last.virtualQuote) / Number(last.virtualToken) : 4e18 / 3 / ((8e26 * 4) / 3)
    }
    const { body } = await read<Record>(`/tokens/${tokenAddress(20)}`)
    const now = timeOf(3100)
    const { m5, h1, h24 } = body.data.priceChangePct
    for (const [change, window] of [
      [m5, 300],
      [h1, 3600],
      [h24, 86400],
    ] as const) {
      t.ok(Math.abs((change as number) - (priceAt(now) / priceAt(now - window) - 1) * 100) < 1e-5, `${window} s`)
    }
    t.ok((h24 as number) > 0)
  },
)

t.test('a token without trades has its launch price and no change', async (t) => {
  const { body } = await read<Record>(`/tokens/${tokenAddress(3)}`)
  t.match(body.data, {
    priceNative: '0.00000000125000000000000000062499999960937499',
    priceChangePct: { m5: 0, h1: 0, h24: 0 },
    lastTradeAt: null,
    athMarketCapUsd: null,
    holderCount: 0,
    top10Pct: 0,
  })
})

t.test('a symbol of an older token is flagged, in any letter case; the older one is not', async (t) => {
  t.equal((await read<Record>(`/tokens/${tokenAddress(20)}`)).body.data.symbolTakenBefore, true)
  t.equal((await read<Record>(`/tokens/${tokenAddress(2)}`)).body.data.symbolTakenBefore, false)
})

t.test('a hidden token is returned by address, with hidden true', async (t) => {
  const { status, body } = await read<Record>(`/tokens/${tokenAddress(HIDDEN[0] as number)}`)
  t.equal(status, 200)
  t.equal(body.data.hidden, true)
})

t.test('an address is accepted in any letter case', async (t) => {
  const upper = `0x${tokenAddress(20).slice(2).toUpperCase()}`
  t.same(await read(`/api/tokens/${upper}`), await read(`/tokens/${tokenAddress(20)}`))
})

for (const path of ['', '/trades', '/holders', '/chart', '/quote?side=buy&amount=1']) {
  t.test(`GET /tokens/:address${path} distinguishes invalid and unknown addresses`, async (t) => {
    const malformed = 'path.address must be a 0x-prefixed address of 20 bytes in hexadecimal'
    t.same(await read(`/tokens/0x123${path}`), failure(400, malformed))
    t.same(await read(`/tokens/${BURN_ADDRESS}${path}`), failure(404, `Token ${BURN_ADDRESS} not found`))
  })
}

t.test('an unchanged token with a matching ETag is 304', async (t) => {
  const url = `/tokens/${tokenAddress(1)}`
  const { headers } = await app.inject({ url })
  t.match(headers.etag, /^"[\w-]+"$/)
  const again = await app.inject({ url, headers: { 'if-none-match': String(headers.etag) } })
  t.equal(again.statusCode, 304)
  t.equal(again.body, '')
})

t.test('undeclared methods are 405', async (t) => {
  const answer = await send('POST', `/tokens/${tokenAddress(1)}`, {})
  t.same(answer, failure(405, 'POST is not allowed here; use GET, HEAD, PATCH'))
})
