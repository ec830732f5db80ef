import { Type } from '@sinclair/typebox'
import {
  Address,
  Amount,
  Closed,
  CursorList,
  CursorQuery,
  component,
  Nullable,
  OneOf,
  ref,
  SignedAmount,
} from './common.ts'
import { LaunchpadKindFilter } from './launchpad.ts'
import { Author } from './profiles.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'

const periods = ['24h', '7d', '30d', 'all'] as const
const orders = ['volume', 'pnl'] as const

export const LeaderboardQuery = CursorQuery({
  period: Type.Optional(OneOf(periods, { default: '24h', description: 'Period that ends now, by the chain’s clock.' })),
  by: Type.Optional(
    OneOf(orders, {
      default: 'volume',
      description:
        'Ranking figure in native coin. volume: traded volume. pnl: realized profit of sales over average cost.',
    }),
  ),
  launchpad: LaunchpadKindFilter('Only trades of tokens of this kind of launchpad; no wallets if it has none'),
})

export const LeaderboardEntry = component(
  'LeaderboardEntry',
  {
    rank: Type.Integer({ minimum: 1 }),
    wallet: Address,
    profile: Nullable(ref(Author)),
    quote: ref(QuoteAsset),
    volumeNative: Type.String({ ...Amount, description: 'Traded volume in native coin, in base units.' }),
    volumeUsd: Nullable(Type.Number({ description: 'Null without a price feed.' })),
    tradeCount: Type.Integer(),
    realizedPnl: Closed(
      {
        native: Type.String({ ...SignedAmount, description: 'Native coin in base units; negative for a loss.' }),
        usd: Nullable(Type.Number({ description: 'At historical prices. Null without a price feed.' })),
      },
      { description: 'Proceeds of sales less the average cost of the tokens that the wallet bought.' },
    ),
    winRatePct: Nullable(
      Type.Number({
        description:
          'Share of sales with a profit among the newest 200 trades of the wallet, as far as they are of the period and of the ' +
          'launchpad, in percent. Archived trades do not count. Null without a sale.',
      }),
    ),
    period: OneOf(periods),
    by: OneOf(orders),
  },
  {
    description: 'A wallet and its rank among the wallets that traded within the period.',
    examples: [
      {
        rank: 1,
        wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        profile: { wallet: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc', username: 'gull', avatarUrl: null },
        quote: exampleQuote,
        volumeNative: '18400000000000000000',
        volumeUsd: 55_200,
        tradeCount: 129,
        realizedPnl: { native: '2150000000000000000', usd: 6_450 },
        winRatePct: 62.5,
        period: '24h',
        by: 'volume',
      },
    ],
  },
)
export const LeaderboardList = CursorList(ref(LeaderboardEntry))

export const components = [LeaderboardEntry]
