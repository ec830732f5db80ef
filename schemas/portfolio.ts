import { Type } from '@sinclair/typebox'
import {
  Address,
  Amount,
  CursorList,
  CursorQuery,
  component,
  Decimal,
  IsoTime,
  Nullable,
  ref,
  SignedAmount,
} from './common.ts'
import { Commitment } from './raises.ts'
import { StakingPosition } from './staking.ts'

const Usd = (description: string) =>
  Nullable(Type.Number({ description: `${description} Null without a price feed.`, examples: [1785.5] }))

const WalletOf = Type.Optional(
  Type.String({ ...Address, description: 'Whose. Without it, the wallet that signed in.' }),
)
export const PortfolioQuery = Type.Object({ wallet: WalletOf })
export const HoldingsQuery = CursorQuery({ wallet: WalletOf })

const Profit = (description: string) =>
  Type.Object(
    {
      native: Type.String({ ...SignedAmount, description: 'Native coin in base units; negative for a loss.' }),
      usd: Usd('At the prices of the times of purchase and sale.'),
    },
    { description },
  )

const tokenFields = {
  token: Address,
  name: Type.String(),
  symbol: Type.String(),
  imageUrl: Nullable(Type.String()),
  hidden: Type.Boolean({ description: 'Taken out of discovery by an operator.' }),
}

export const Holding = component(
  'Holding',
  {
    ...tokenFields,
    balance: Amount,
    boughtAmount: Type.String({
      ...Amount,
      description: 'The part of the balance that the wallet bought itself, and so has a cost.',
    }),
    receivedAmount: Type.String({
      ...Amount,
      description: 'The rest: received from others. It counts to the value, and makes no profit.',
    }),
    priceNative: Nullable(Decimal),
    priceUsd: Usd('Of one whole token.'),
    valueNative: Type.String({ ...Amount, description: 'At the price now, before the effect that a sale has on it.' }),
    valueUsd: Usd('The same.'),
    costNative: Type.String({ ...Amount, description: 'Average cost of the bought part, fees included.' }),
    costUsd: Usd('The same, at the prices of the times of purchase.'),
    unrealizedPnl: Profit('Value of the bought part less its cost.'),
    realizedPnl: Profit('What sales of this token earned over average cost.'),
    firstSeenAt: IsoTime,
    lastTradeAt: Nullable(IsoTime),
  },
  {
    description: 'What a wallet holds of a token.',
    examples: [
      {
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        name: 'Harbour Cat',
        symbol: 'HCAT',
        imageUrl: 'https://images.example.org/hcat.webp',
        hidden: false,
        balance: '52000000000000000000000000',
        boughtAmount: '50000000000000000000000000',
        receivedAmount: '2000000000000000000000000',
        priceNative: '0.0000000419',
        priceUsd: 0.0001257,
        valueNative: '2178800000000000000',
        valueUsd: 6536.4,
        costNative: '1500000000000000000',
        costUsd: 4500,
        unrealizedPnl: { native: '595000000000000000', usd: 1785 },
        realizedPnl: { native: '-20000000000000000', usd: -60 },
        firstSeenAt: '2026-11-19T08:12:44.000Z',
        lastTradeAt: '2026-11-20T11:58:12.000Z',
      },
    ],
  },
)
export const HoldingList = CursorList(ref(Holding))

export const Creation = component(
  'Creation',
  {
    ...tokenFields,
    status: Type.String({ description: 'curve, completed or graduated.' }),
    marketCapUsd: Usd('Now.'),
    feesEarned: Type.String({ ...Amount, description: 'Native coin that its trades brought the creator so far.' }),
    feesClaimed: Type.String({ ...Amount, description: 'What of it the creator has taken out.' }),
    feesClaimable: Type.String({ ...Amount, description: 'What is left to take out.' }),
    createdAt: IsoTime,
  },
  {
    description: 'A token that the wallet launched, and what it earns.',
    examples: [
      {
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        name: 'Harbour Cat',
        symbol: 'HCAT',
        imageUrl: 'https://images.example.org/hcat.webp',
        hidden: false,
        status: 'curve',
        marketCapUsd: 125_700,
        feesEarned: '41000000000000000',
        feesClaimed: '30000000000000000',
        feesClaimable: '11000000000000000',
        createdAt: '2026-11-19T08:12:44.000Z',
      },
    ],
  },
)

export const Portfolio = component(
  'Portfolio',
  {
    wallet: Address,
    totalValueNative: Type.String({
      ...Amount,
      description: 'What the holdings are worth, native coin in base units.',
    }),
    totalValueUsd: Usd('The same.'),
    realizedPnl: Profit('What all sales earned over average cost, of tokens held or not.'),
    unrealizedPnl: Profit('Over all holdings.'),
    holdingCount: Type.Integer({ description: 'How many tokens were valued.', examples: [7] }),
    truncated: Type.Boolean({
      description:
        'Whether it holds more tokens than one answer values; the totals are then of those valued. ' +
        '/portfolio/holdings lists all.',
    }),
    holdings: Type.Array(ref(Holding), { description: 'The most valuable first, at most 100.' }),
    created: Type.Array(ref(Creation), { description: 'The newest first, at most 100.' }),
    staking: Type.Array(ref(StakingPosition), {
      description: 'Those it did something to last come first, at most 100.',
    }),
    commitments: Type.Array(ref(Commitment), {
      description: 'To raises; those it did something to last come first, at most 100.',
    }),
  },
  { description: 'What a wallet holds, launched and earned.' },
)

export const components = [Holding, Creation, Portfolio]
