import { Type } from '@sinclair/typebox'
import { type Interval, intervals } from './chart.ts'
import { Address, Amount, component, IsoTime, Nullable, OneOf } from './common.ts'

const intervalNames = Object.keys(intervals) as Interval[]

/** Maximum number of candles of an external chart. */
export const EXTERNAL_CANDLES = 300

const DISPLAY_ONLY = 'For display only, not for settlement: it is not checked against the chain.'

const figure = (description: string) => Nullable(Type.Number({ description }))

const MarketPool = Type.Object({
  address: Type.String({
    description: 'Address of the pool, or its 32-byte id on exchanges where pools have no address.',
  }),
  dex: Nullable(Type.String({ description: 'The provider’s name of the exchange.' })),
  name: Nullable(Type.String()),
  baseToken: Nullable(Type.String()),
  quoteToken: Nullable(Type.String()),
  liquidityUsd: figure('Liquidity of both sides.'),
  volumeUsd24h: figure('Volume of the last 24 hours.'),
  createdAt: Nullable(IsoTime),
})

/** Market data of a token. */
export const Market = Type.Object({
  address: Address,
  name: Nullable(Type.String()),
  symbol: Nullable(Type.String()),
  decimals: Nullable(Type.Integer()),
  totalSupply: Nullable(Amount),
  imageUrl: Nullable(Type.String()),
  priceUsd: figure('Price of one whole token.'),
  marketCapUsd: figure('Market cap of the circulating supply, if the provider has verified that supply.'),
  fdvUsd: figure('Fully diluted value: price times total supply.'),
  liquidityUsd: figure('Liquidity of all pools.'),
  volumeUsd24h: figure('Volume of the last 24 hours in all pools.'),
  priceChangePct: Type.Object(
    { m5: figure('5 minutes.'), h1: figure('1 hour.'), h24: figure('24 hours.') },
    { description: 'Price change in percent, in the token’s most traded pool.' },
  ),
  pools: Type.Array(MarketPool, { description: 'The most traded pools, highest volume first. At most ten.' }),
})

const ExternalCandle = Type.Object({
  time: Type.Integer({ description: 'Start of the candle, in Unix seconds.' }),
  open: Type.Number(),
  high: Type.Number(),
  low: Type.Number(),
  close: Type.Number(),
  volumeUsd: Type.Number(),
})

/** Source and age of the data. */
const provenance = {
  network: Type.String({ description: 'The provider’s name of the chain.' }),
  source: Type.String({ description: 'Name of the provider.' }),
  fetchedAt: IsoTime,
  stale: Type.Boolean({
    description: 'Whether the data is older than its freshness limit: a refresh is under way or failed.',
  }),
}

export const ExternalMarket = component(
  'ExternalMarket',
  { ...Market.properties, ...provenance },
  {
    description: `Third-party market data of a token that was not launched here. ${DISPLAY_ONLY} Null means unknown.`,
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
      `Third-party candles of a token that was not launched here, from its most traded pool. ${DISPLAY_ONLY} ` +
      `Ascending and without gaps: an interval without trades keeps the price. At most ${EXTERNAL_CANDLES}, ` +
      'the last ones; empty if the provider has no chart.',
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
