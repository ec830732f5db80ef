import { Type } from '@sinclair/typebox'
import { Address, Amount, component, IsoTime, Nullable, OneOf, ref, SignedAmount } from './common.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'

const periods = ['24h', '7d', '30d', 'all'] as const
const usd = (description: string) =>
  Nullable(Type.Number({ description: `${description} Null without a price feed.`, examples: [1785.5] }))
const Profit = (description: string) =>
  Type.Object(
    {
      native: Type.String({ ...SignedAmount, description: 'Native coin in base units; negative for a loss.' }),
      usd: usd('At the prices at the times of purchase and sale.'),
    },
    { description },
  )
const turnover = {
  trades: Type.Integer({ description: 'Number of trades.', examples: [42] }),
  volumeNative: Type.String({ ...Amount, description: 'Native coin of these trades, in base units.' }),
  volumeUsd: usd('The same, at the prices at the times of the trades.'),
  realizedPnl: Profit('Proceeds of sales less the average cost of the tokens that the wallet bought.'),
}

export const WalletParams = Type.Object({ wallet: Address })
export const WalletStatsQuery = Type.Object({
  period: Type.Optional(OneOf(periods, { default: '30d', description: 'Period that ends now, by the chain’s clock.' })),
})

export const WalletStats = component(
  'WalletStats',
  {
    wallet: Address,
    period: OneOf(periods),
    quote: ref(QuoteAsset),
    ...turnover,
    unrealizedPnl: Profit(
      'Value now of the bought tokens that it holds, less their average cost; of 2,000 holdings at most. It has no period.',
    ),
    winRatePct: Nullable(Type.Number({ description: 'Share of sales with a profit, in percent.', examples: [61.5] })),
    medianHoldSeconds: Nullable(
      Type.Number({
        description: 'Median time between the last purchase of a token and a sale of it, in seconds.',
        examples: [5_400],
      }),
    ),
    days: Type.Array(
      Type.Object({
        date: Type.String({ ...IsoTime, description: 'Start of the day, in UTC.' }),
        ...turnover,
      }),
      { description: 'Days with trades, oldest first.' },
    ),
    unrealizedByDay: Type.Array(
      Type.Object({
        date: Type.String({ ...IsoTime, description: 'Start of the day, in UTC.' }),
        native: Nullable(
          Type.String({
            ...SignedAmount,
            description:
              'Native coin in base units; negative for a loss. Closing prices have 15 digits. Null if unknown.',
          }),
        ),
        usd: Nullable(
          Type.Number({
            description: 'At the prices at the end of the day and at the times of purchase. Null if unknown.',
            examples: [-600],
          }),
        ),
      }),
      {
        description:
          'Unrealized profit at the end of each day of the period, with or without trades, oldest first; from the first trade of ' +
          'the wallet on if that was later. The value of the bought tokens that it held, at their closing prices, less their average ' +
          'cost. The last day is unrealizedPnl, now. Null if a price is unknown, or if the wallet has both received and sent on a ' +
          'token that it had bought. All days but the last are null if trades of any time are archived, or if the wallet has 10,000 ' +
          'trades or more, or more than 250 such tokens.',
      },
    ),
    unrealizedTruncated: Type.Boolean({
      description: 'Whether unrealizedByDay lacks days of the period: it has the newest 90.',
    }),
    truncated: Type.Boolean({
      description:
        'Whether days, win rate and hold time lack trades of the period: they are computed from the newest 10,000 of the ' +
        'wallet that are not archived. The sums of the period have all.',
    }),
  },
  {
    description: 'How a wallet traded in a period.',
    examples: [
      {
        wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        period: '30d',
        quote: exampleQuote,
        trades: 42,
        volumeNative: '18400000000000000000',
        volumeUsd: 55_200,
        realizedPnl: { native: '1200000000000000000', usd: 3_600 },
        unrealizedPnl: { native: '-200000000000000000', usd: -600 },
        winRatePct: 61.5,
        medianHoldSeconds: 5_400,
        days: [
          {
            date: '2026-11-20T00:00:00.000Z',
            trades: 42,
            volumeNative: '18400000000000000000',
            volumeUsd: 55_200,
            realizedPnl: { native: '1200000000000000000', usd: 3_600 },
          },
        ],
        unrealizedByDay: [{ date: '2026-11-20T00:00:00.000Z', native: '-200000000000000000', usd: -600 }],
        unrealizedTruncated: false,
        truncated: false,
      },
    ],
  },
)

export const components = [WalletStats]
