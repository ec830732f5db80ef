import { Type } from '@sinclair/typebox'
import {
  Address,
  Amount,
  CursorList,
  CursorQuery,
  chainFields,
  component,
  IsoTime,
  Nullable,
  OneOf,
  ref,
  SignedAmount,
} from './common.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'

const exampleWallet = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const percent = (description: string) =>
  Nullable(Type.Number({ description: `${description} In percent.`, examples: [4.189356] }))
const usd = (description: string) =>
  Nullable(Type.Number({ description: `${description} Null without a price feed.`, examples: [1785.5] }))

export const WalletGroup = component(
  'WalletGroup',
  {
    count: Type.Integer({ description: 'Number of wallets, those that have sold everything included.', examples: [5] }),
    pct: percent('Share of the total supply that they still hold.'),
  },
  {
    description: 'Wallets that have something in common at the launch of a token.',
    examples: [{ count: 5, pct: 4.189356 }],
  },
)

const exampleGroup = { count: 5, pct: 4.189356 }

export const Risk = component(
  'Risk',
  {
    snipers: ref(WalletGroup),
    bundlers: ref(WalletGroup),
    insiders: ref(WalletGroup),
    freshWallets: ref(WalletGroup),
    washTradePct: percent('Share of the volume that is of wallets whose trades left them where they were.'),
    creatorSoldPct: percent('Share of the total supply that left the creator’s wallet, by sales and other transfers.'),
  },
  {
    description:
      'How a token was bought at its launch. snipers: within seconds of the first trade. bundlers: several wallets in the ' +
      'block of the launch or in one transaction. insiders: received tokens from the creator, a sniper or a bundler. ' +
      'freshWallets: first seen less than a day before they bought.',
    examples: [
      {
        snipers: exampleGroup,
        bundlers: exampleGroup,
        insiders: { count: 1, pct: 0.5 },
        freshWallets: { count: 9, pct: 7.25 },
        washTradePct: 12.5,
        creatorSoldPct: 3.1,
      },
    ],
  },
)

export const FirstBuyer = component(
  'FirstBuyer',
  {
    wallet: Type.String({ ...Address, description: 'The wallet that received the tokens.' }),
    timestamp: IsoTime,
    quote: ref(QuoteAsset),
    tokenAmount: Type.String({ ...Amount, description: 'Tokens of its first purchase, in base units.' }),
    quoteAmount: Type.String({
      ...Amount,
      description: 'Native coin paid for its first purchase including fees, in base units.',
    }),
    balance: Type.String({ ...Amount, description: 'What it holds now, in base units.' }),
    pct: percent('The same as a share of the total supply.'),
    flags: Type.Array(OneOf(['creator', 'sniper', 'bundler', 'insider', 'fresh']), {
      description:
        'creator: launched the token. sniper: bought within seconds of the first trade. bundler: bought in a bundle at the ' +
        'launch. insider: also received tokens from the creator, a sniper or a bundler. fresh: first seen less than a day ' +
        'before.',
    }),
    ...chainFields,
  },
  {
    description: 'A wallet that was among the first to buy a token, with its first purchase.',
    examples: [
      {
        wallet: exampleWallet,
        timestamp: '2026-11-20T09:30:04.000Z',
        quote: exampleQuote,
        tokenAmount: '41893560112006519471348291',
        quoteAmount: '100000000000000000',
        balance: '20946780056003259735674145',
        pct: 2.094678,
        flags: ['sniper', 'fresh'],
        blockNumber: 22_410_379,
        txHash: '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77',
        logIndex: 11,
        confirmed: true,
      },
    ],
  },
)
export const FirstBuyers = Type.Object({ items: Type.Array(ref(FirstBuyer)) })

const Profit = (description: string) =>
  Type.Object(
    {
      native: Nullable(
        Type.String({ ...SignedAmount, description: 'Native coin in base units; negative for a loss.' }),
      ),
      quote: Type.String({ ...SignedAmount, description: 'The same in the quote asset.' }),
      usd: usd('At the prices at the times of purchase and sale.'),
    },
    { description },
  )

export const TopTrader = component(
  'TopTrader',
  {
    wallet: Address,
    label: Nullable(OneOf(['creator'], { description: 'Role of the wallet; null for any other.' })),
    quote: ref(QuoteAsset),
    bought: Type.String({ ...Amount, description: 'Tokens bought, in base units.' }),
    sold: Type.String({ ...Amount, description: 'Tokens sold, in base units.' }),
    spent: Type.String({ ...Amount, description: 'Quote asset paid including fees, in base units.' }),
    proceeds: Type.String({ ...Amount, description: 'Quote asset received after fees, in base units.' }),
    volume: Type.String({ ...Amount, description: 'Both together: the quote asset of all its trades.' }),
    balance: Amount,
    pct: percent('Share of the total supply that it holds.'),
    realizedPnl: Profit('Proceeds of sales less average cost.'),
    unrealizedPnl: Profit('Value of the bought part of its balance at the current price, less its average cost.'),
    lastTradeAt: Nullable(IsoTime),
  },
  {
    description: 'A wallet that traded a token, with its profit at average cost.',
    examples: [
      {
        wallet: exampleWallet,
        label: null,
        quote: exampleQuote,
        bought: '50000000000000000000000000',
        sold: '20000000000000000000000000',
        spent: '100000000000000000',
        proceeds: '60000000000000000',
        volume: '160000000000000000',
        balance: '30000000000000000000000000',
        pct: 3,
        realizedPnl: { native: '20000000000000000', quote: '20000000000000000', usd: 60 },
        unrealizedPnl: { native: '11000000000000000', quote: '11000000000000000', usd: 33 },
        lastTradeAt: '2026-11-20T11:58:12.000Z',
      },
    ],
  },
)
export const TopTraderQuery = CursorQuery({
  by: Type.Optional(
    OneOf(['realized', 'unrealized', 'volume'], {
      default: 'realized',
      description:
        'realized: profit of sales. unrealized: profit of what is held, of the 1,000 largest balances. volume: quote asset ' +
        'of all trades.',
    }),
  ),
})
export const TopTraderList = CursorList(ref(TopTrader))

export const CreatorHistory = component(
  'CreatorHistory',
  {
    wallet: Type.String({ ...Address, description: 'The creator of the token.' }),
    launched: Type.Integer({ description: 'Tokens that it launched, this one included.', examples: [7] }),
    graduated: Type.Integer({ description: 'Those of them that graduated.', examples: [1] }),
    abandoned: Type.Integer({
      description: 'Those of them that did not graduate and were not traded for seven days.',
      examples: [4],
    }),
    medianAthMarketCapUsd: usd('Median of the highest market caps of those that were traded.'),
    dumpedPct: Nullable(
      Type.Number({
        description:
          'Of the tokens that the creator had of a launch, the share that it sold or sent away: the median over its ' +
          'launches, in percent. Null if it never had any.',
        examples: [87.5],
      }),
    ),
    truncated: Type.Boolean({ description: 'Whether it launched more tokens than are counted, the latest 1,000.' }),
  },
  {
    description: 'What became of the tokens of a creator.',
    examples: [
      {
        wallet: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        launched: 7,
        graduated: 1,
        abandoned: 4,
        medianAthMarketCapUsd: 7411.2,
        dumpedPct: 87.5,
        truncated: false,
      },
    ],
  },
)

export const components = [WalletGroup, Risk, FirstBuyer, TopTrader, CreatorHistory]
