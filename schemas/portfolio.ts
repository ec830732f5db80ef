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
import { exampleQuote, QuoteAsset } from './quote-asset.ts'
import { Commitment } from './raises.ts'
import { RevenueTotal } from './revenue.ts'
import { StakingPosition } from './staking.ts'

const Usd = (description: string) =>
  Nullable(Type.Number({ description: `${description} Null without a price feed.`, examples: [1785.5] }))

const WalletOf = Type.Optional(
  Type.String({ ...Address, description: 'The wallet. Default: the authenticated wallet.' }),
)
export const PortfolioQuery = Type.Object({ wallet: WalletOf })
export const HoldingsQuery = CursorQuery({ wallet: WalletOf })

const Profit = (description: string) =>
  Type.Object(
    {
      native: Type.String({ ...SignedAmount, description: 'Native coin in base units; negative for a loss.' }),
      usd: Usd('At the prices at the times of purchase and sale.'),
    },
    { description },
  )

/** The profit of one token. */
const TokenProfit = (description: string) =>
  Type.Object(
    {
      native: Type.String({
        ...SignedAmount,
        description: 'Native coin in base units; negative for a loss. 0 if no rate is known.',
      }),
      quote: Type.String({ ...SignedAmount, description: 'The same in the quote asset.' }),
      usd: Usd('At the prices at the times of purchase and sale.'),
    },
    { description },
  )

const tokenFields = {
  token: Address,
  name: Type.String(),
  symbol: Type.String(),
  imageUrl: Nullable(Type.String()),
  hidden: Type.Boolean({ description: 'Whether an operator hid the token from discovery.' }),
}

export const Holding = component(
  'Holding',
  {
    ...tokenFields,
    decimals: Type.Integer({ description: 'Decimals of the token.', examples: [18] }),
    balance: Amount,
    boughtAmount: Type.String({
      ...Amount,
      description: 'Part of the balance that the wallet bought; it has a cost.',
    }),
    receivedAmount: Type.String({
      ...Amount,
      description: 'Rest of the balance, received by transfer. It counts towards the value and makes no profit.',
    }),
    quote: ref(QuoteAsset),
    priceNative: Nullable(Decimal),
    priceQuote: Nullable(
      Type.String({ ...Decimal, description: 'Price of one whole token in whole units of the quote asset.' }),
    ),
    priceUsd: Usd('Price of one whole token.'),
    valueNative: Type.String({
      ...Amount,
      description: 'Value at the current price, without the price impact of a sale; 0 if no rate is known.',
    }),
    valueQuote: Type.String({ ...Amount, description: 'The same in the quote asset.' }),
    valueUsd: Usd('The same.'),
    costNative: Type.String({
      ...Amount,
      description:
        'Average cost of the bought part, including fees, at the rates at the times of purchase; 0 where none was known.',
    }),
    costQuote: Type.String({ ...Amount, description: 'The same in the quote asset.' }),
    costUsd: Usd('The same in US dollars, at the prices at the times of purchase.'),
    unrealizedPnl: TokenProfit('Value of the bought part less its cost.'),
    realizedPnl: TokenProfit('Proceeds of sales of this token less average cost.'),
    firstSeenAt: IsoTime,
    lastTradeAt: Nullable(IsoTime),
  },
  {
    description: 'A wallet’s holding of a token.',
    examples: [
      {
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        name: 'Harbour Cat',
        symbol: 'HCAT',
        decimals: 18,
        imageUrl: 'https://images.example.org/hcat.webp',
        hidden: false,
        balance: '52000000000000000000000000',
        boughtAmount: '50000000000000000000000000',
        receivedAmount: '2000000000000000000000000',
        quote: exampleQuote,
        priceNative: '0.0000000419',
        priceQuote: '0.0000000419',
        priceUsd: 0.0001257,
        valueNative: '2178800000000000000',
        valueQuote: '2178800000000000000',
        valueUsd: 6536.4,
        costNative: '1500000000000000000',
        costQuote: '1500000000000000000',
        costUsd: 4500,
        unrealizedPnl: { native: '595000000000000000', quote: '595000000000000000', usd: 1785 },
        realizedPnl: { native: '-20000000000000000', quote: '-20000000000000000', usd: -60 },
        firstSeenAt: '2026-11-19T08:12:44.000Z',
        lastTradeAt: '2026-11-20T11:58:12.000Z',
      },
    ],
  },
)
export const HoldingList = CursorList(ref(Holding))

const fee = (description: string) =>
  Nullable(
    Type.String({ ...Amount, description: `${description} Null if the events of the launchpad do not contain them.` }),
  )

export const Creation = component(
  'Creation',
  {
    ...tokenFields,
    creator: Address,
    status: Type.String({ description: 'Status of the token: curve, completed or graduated.' }),
    marketCapUsd: Usd('Current market cap.'),
    quote: ref(QuoteAsset),
    feesEarned: fee('Creator fees of all trades so far, in the quote asset.'),
    feesClaimed: fee('Creator fees that were paid out, to all recipients.'),
    feesClaimable: fee('What the wallet gets of the creator fees that can be claimed now.'),
    feeShareBps: Nullable(
      Type.Integer({
        description:
          'Share of the wallet in later creator fees, in basis points. 10,000 for the creator, unless they are split.',
        examples: [10_000],
      }),
    ),
    ownsFeeRight: Type.Boolean({
      description:
        'Whether the wallet may split the creator fees and transfer the right to them. At first the creator may, if the ' +
        'launchpad has such a right.',
    }),
    createdAt: IsoTime,
  },
  {
    description: 'A token that the wallet launched, or whose creator fees it gets, with these.',
    examples: [
      {
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        name: 'Harbour Cat',
        symbol: 'HCAT',
        imageUrl: 'https://images.example.org/hcat.webp',
        hidden: false,
        creator: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        status: 'curve',
        marketCapUsd: 125_700,
        quote: exampleQuote,
        feesEarned: '41000000000000000',
        feesClaimed: '30000000000000000',
        feesClaimable: '11000000000000000',
        feeShareBps: 10_000,
        ownsFeeRight: true,
        createdAt: '2026-11-19T08:12:44.000Z',
      },
    ],
  },
)

export const Portfolio = component(
  'Portfolio',
  {
    wallet: Address,
    quote: ref(QuoteAsset),
    totalValueNative: Type.String({
      ...Amount,
      description: 'Value of the holdings in native coin, in base units.',
    }),
    totalValueUsd: Usd('The same.'),
    realizedPnl: Profit('Proceeds of all sales less average cost, for all tokens, held or not.'),
    unrealizedPnl: Profit('Unrealized profit of all holdings.'),
    holdingCount: Type.Integer({ description: 'Number of tokens in the totals.', examples: [7] }),
    truncated: Type.Boolean({
      description:
        'Whether the wallet holds more tokens than one response values. The totals then cover the valued tokens ' +
        'only; /portfolio/holdings lists all.',
    }),
    holdings: Type.Array(ref(Holding), { description: 'Most valuable first, at most 100.' }),
    created: Type.Array(ref(Creation), { description: 'Launched tokens, newest first, at most 100.' }),
    feeShares: Type.Array(ref(Creation), {
      description:
        'Tokens of other creators whose fees the wallet gets a share of, or may split. Those with the highest fees to claim ' +
        'first, at most 100.',
    }),
    revenue: Type.Object(
      {
        items: Type.Array(ref(RevenueTotal), { description: 'One item for each asset.' }),
        truncated: Type.Boolean({
          description: 'Whether the wallet gets fees of more tokens than are summed, the latest 2,000.',
        }),
      },
      { description: 'Creator fees of the wallet, of all tokens: paid to it, and what it can claim.' },
    ),
    staking: Type.Array(ref(StakingPosition), {
      description: 'Most recently used first, at most 100.',
    }),
    commitments: Type.Array(ref(Commitment), {
      description: 'Commitments to raises, most recently used first, at most 100.',
    }),
  },
  { description: 'Holdings, launched tokens, stakes and commitments of a wallet, with profit.' },
)

export const components = [Holding, Creation, Portfolio]
