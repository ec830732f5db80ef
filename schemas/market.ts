import { Type } from '@sinclair/typebox'
import { type Interval, intervals } from './chart.ts'
import { Address, Amount, component, IsoTime, Nullable, OneOf } from './common.ts'

const intervalNames = Object.keys(intervals) as Interval[]

/** How many candles an external chart holds at most. */
export const EXTERNAL_CANDLES = 300

const DISPLAY_ONLY = 'For display only, not for settlement: nobody here has checked it against the chain.'

const figure = (description: string) => Nullable(Type.Number({ description }))

const MarketPool = Type.Object({
  address: Type.String({ description: 'Address of the pool, or its 32-byte id where pools have no address.' }),
  dex: Nullable(Type.String({ description: 'The exchange, by the provider’s name for it.' })),
  name: Nullable(Type.String()),
  baseToken: Nullable(Type.String()),
  quoteToken: Nullable(Type.String()),
  liquidityUsd: figure('Both sides together.'),
  volumeUsd24h: figure('Traded in 24 hours.'),
  createdAt: Nullable(IsoTime),
})

/** What a provider knows of a token. */
export const Market = Type.Object({
  address: Address,
  name: Nullable(Type.String()),
  symbol: Nullable(Type.String()),
  decimals: Nullable(Type.Integer()),
  totalSupply: Nullable(Amount),
  imageUrl: Nullable(Type.String()),
  priceUsd: figure('Price of one whole token.'),
  marketCapUsd: figure('Of what circulates, where the provider has verified how much that is.'),
  fdvUsd: figure('Price times total supply.'),
  liquidityUsd: figure('Over all pools.'),
  volumeUsd24h: figure('Traded in 24 hours, over all pools.'),
  priceChangePct: Type.Object(
    { m5: figure('5 minutes.'), h1: figure('1 hour.'), h24: figure('24 hours.') },
    { description: 'In the token’s most traded pool, in percent.' },
  ),
  pools: Type.Array(MarketPool, { description: 'The most traded pools, at most ten, the first one first.' }),
})

const ExternalCandle = Type.Object({
  time: Type.Integer({ description: 'Start of the candle, unix seconds.' }),
  open: Type.Number(),
  high: Type.Number(),
  low: Type.Number(),
  close: Type.Number(),
  volumeUsd: Type.Number(),
})

/** Where a figure comes from, and how old it is. */
const provenance = {
  network: Type.String({ description: 'The chain, by the provider’s name for it.' }),
  source: Type.String({ description: 'The provider.' }),
  fetchedAt: IsoTime,
  stale: Type.Boolean({
    description: 'Whether it is older than is fresh: a newer one is on its way, or cannot be had.',
  }),
}

export const ExternalMarket = component(
  'ExternalMarket',
  { ...Market.properties, ...provenance },
  {
    description: `A third party’s data on a token that was not launched here. ${DISPLAY_ONLY} Null is unknown.`,
    examples: [
      {
        address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
        name: 'USD Coin',
        symbol: 'USDC',
        decimals: 6,
        totalSupply: '51200000000000000',
        imageUrl: 'https://coin-images.coingecko.com/coins/images/6319/large/usdc.png',
        priceUsd: 0.9998,
        marketCapUsd: 51190000000,
        fdvUsd: 51190000000,
        liquidityUsd: 512000000.5,
        volumeUsd24h: 1200000000.25,
        priceChangePct: { m5: 0, h1: 0.01, h24: -0.02 },
        pools: [
          {
            address: '0x88e6a0c2ddd26feeb64f039a2c41296fcb3f5640',
            dex: 'uniswap_v3',
            name: 'USDC / WETH 0.05%',
            baseToken: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
            quoteToken: '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
            liquidityUsd: 120000000,
            volumeUsd24h: 310000000,
            createdAt: '2021-12-29T12:35:14.000Z',
          },
        ],
        network: 'eth',
        source: 'GeckoTerminal',
        fetchedAt: '2026-11-21T12:00:00.000Z',
        stale: false,
      },
    ],
  },
)

export const ExternalChart = component(
  'ExternalChart',
  {
    address: Address,
    interval: Type.Unsafe<Interval>(OneOf(intervalNames)),
    currency: OneOf(['usd']),
    candles: Type.Array(ExternalCandle, { maxItems: EXTERNAL_CANDLES }),
    ...provenance,
  },
  {
    description:
      `A third party’s candles of a token that was not launched here, of its most traded pool. ${DISPLAY_ONLY} Ascending ` +
      `and without holes: an interval without trades keeps the price. At most ${EXTERNAL_CANDLES}, the last ones; none ` +
      'where the provider has no chart.',
    examples: [
      {
        address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
        interval: '1h',
        currency: 'usd',
        candles: [
          { time: 1_795_262_400, open: 0.9997, high: 1.0002, low: 0.9995, close: 0.9998, volumeUsd: 1250000.75 },
          { time: 1_795_266_000, open: 0.9998, high: 0.9998, low: 0.9998, close: 0.9998, volumeUsd: 0 },
        ],
        network: 'eth',
        source: 'GeckoTerminal',
        fetchedAt: '2026-11-21T12:00:00.000Z',
        stale: false,
      },
    ],
  },
)

export const ExternalChartQuery = Type.Object({
  interval: Type.Optional(
    Type.Unsafe<Interval>(OneOf(intervalNames, { default: '1h', description: 'Length of a candle.' })),
  ),
})

export const components = [ExternalMarket, ExternalChart]
