import { Type } from '@sinclair/typebox'
import {
  Address,
  Amount,
  Closed,
  CursorList,
  CursorQuery,
  chainFields,
  component,
  Decimal,
  IsoTime,
  MAX_UNIX_TIME,
  Nullable,
  OneOf,
  PageList,
  PageQuery,
  PoolAddress,
  ref,
  TxHash,
} from './common.ts'
import { Risk, WalletGroup } from './forensics.ts'
import { Holder } from './holders.ts'
import { TokenLaunchpad } from './launchpad.ts'
import type { Channel, LiveEvent } from './live.ts'
import { exampleQuote, QuoteAsset } from './quote-asset.ts'
import { filterProperties, TokenDirection, TokenOrder } from './screener.ts'

const usd = (description: string) => Nullable(Type.Number({ description: `${description} Null without a price feed.` }))
const percent = (description: string) => Nullable(Type.Number({ description: `${description} In percent.` }))

const change = (time: string) =>
  `Change over ${time}, from the end of the minute in which that time began, or since a later launch.`

const VirtualReserve = Type.String({
  ...Amount,
  description:
    'Reserve whose ratio to the other one is the price on the curve, in base units. 0 without a curve, and if the launchpad emits only the price.',
})

const Links = Type.Object(
  {
    website: Nullable(Type.String()),
    twitter: Nullable(Type.String()),
    telegram: Nullable(Type.String()),
    discord: Nullable(Type.String()),
  },
  { description: 'Links to the token’s other pages, set by its creator.' },
)

export const Token = component(
  'Token',
  {
    address: Address,
    chainId: Type.Integer(),
    name: Type.String({ description: 'Name in the contract. Not unique.' }),
    symbol: Type.String(),
    decimals: Type.Integer(),
    totalSupply: Amount,
    description: Nullable(Type.String()),
    imageUrl: Nullable(Type.String()),
    bannerUrl: Nullable(Type.String()),
    metadataUri: Type.String({
      description:
        'contractURI of the token (ERC-7572): that of the launch, or after an update by the creator the present one.',
    }),
    links: Links,
    creator: Address,
    createdAt: IsoTime,
    ...chainFields,
    status: OneOf(['curve', 'completed', 'graduated'], {
      description:
        'curve: for sale. completed: sold out, not yet graduated. graduated: trades in its pool, from its launch on if ' +
        '`lifecycle` is direct.',
    }),
    lifecycle: OneOf(['curve', 'direct'], {
      description:
        'curve: launched on a curve. direct: launched in its pool: it has no curve, so the amounts of one are 0, and it ' +
        'never graduates.',
    }),
    progressPct: Type.Number({
      description:
        'Amount of the quote asset raised by the curve, in percent of the target. 100 once the token trades in its pool.',
    }),
    graduatedAt: Nullable(Type.String({ ...IsoTime, description: 'Null before the graduation, and without one.' })),
    poolAddress: Nullable(PoolAddress),
    launchpad: TokenLaunchpad,
    quote: ref(QuoteAsset),
    virtualQuote: VirtualReserve,
    virtualToken: VirtualReserve,
    realQuote: Type.String({ ...Amount, description: 'Amount of the quote asset held by the curve, in base units.' }),
    realToken: Type.String({ ...Amount, description: 'Tokens still for sale on the curve, in base units.' }),
    targetQuote: Type.String({ ...Amount, description: 'Quote asset that completes the curve, in base units.' }),
    protocolFeeBps: Nullable(Type.Integer({ description: 'Null if the launchpad does not say.' })),
    creatorFeeBps: Nullable(Type.Integer({ description: 'Null if the launchpad does not say.' })),
    priceNative: Nullable(Decimal),
    priceQuote: Nullable(
      Type.String({ ...Decimal, description: 'Price of one whole token in whole units of the quote asset.' }),
    ),
    priceUsd: usd('Price of one whole token.'),
    marketCapUsd: usd('Price times total supply.'),
    athMarketCapUsd: usd('Highest market cap after any trade.'),
    liquidityUsd: usd(
      'Value of the native coin held by the curve, or of both sides of the pool. Null for a pool of Uniswap V3 or V4.',
    ),
    volume: Type.Object(
      { h1: Amount, h24: Amount, total: Amount },
      {
        description:
          'Volume of the last hour, of the last day and in total; native coin in base units, at the rates at the times of the ' +
          'trades. Trades while no rate was known add nothing.',
      },
    ),
    volumeQuote: Type.Object(
      { h1: Amount, h24: Amount, total: Amount },
      { description: 'The same in base units of the quote asset.' },
    ),
    volumeUsd24h: usd('Volume of the last day.'),
    priceChangePct: Type.Object(
      {
        m5: percent(change('five minutes')),
        h1: percent(change('one hour')),
        h24: percent(change('one day')),
      },
      { description: 'Changes of the price in the quote asset.' },
    ),
    buys24h: Type.Integer(),
    sells24h: Type.Integer(),
    traders24h: Type.Integer(),
    lastTradeAt: Nullable(IsoTime),
    holderCount: Type.Integer({
      description: 'Number of wallets with a balance, without curve, pool and burn addresses.',
    }),
    top10Pct: Nullable(Type.Number({ description: 'Share of the ten largest holders. In percent.' }), {
      description: 'Curve, pool and burn addresses are left out; contracts of stakes and raises count.',
    }),
    creatorHeldPct: percent('Share of the creator.'),
    sniperPct: percent('Share of the wallets that bought within seconds of the first trade.'),
    bundlerPct: percent('Share of the wallets that bought in a bundle at the launch.'),
    commentCount: Type.Integer(),
    likeCount: Type.Integer(),
    likedByMe: Nullable(Type.Boolean({ description: 'Null for unauthenticated requests.' })),
    watcherCount: Type.Integer({ description: 'Number of wallets that have it on their watchlist.' }),
    watchedByMe: Nullable(Type.Boolean({ description: 'Null for unauthenticated requests.' })),
    featured: Type.Boolean(),
    hidden: Type.Boolean({ description: 'Hidden from all lists by an operator; still returned by address.' }),
    symbolTakenBefore: Type.Boolean({
      description:
        'Whether an older token has this symbol, or one that looks like it: this token may be a copycat. Letter case, invisible ' +
        'characters, spaces, full-width forms, and Cyrillic or Greek letters that look Latin make no difference; accents do.',
    }),
    risk: Type.Optional(
      Nullable(ref(Risk), {
        description:
          'How it was bought at its launch. Only in the response to GET /tokens/:address; null if the trades of the launch ' +
          'are archived.',
      }),
    ),
    suspicious: Type.Optional(
      Nullable(ref(WalletGroup), {
        description: 'Snipers, bundlers and insiders, each wallet once. Where `risk` is.',
      }),
    ),
  },
  {
    description: 'A launched token with its metadata, its curve or pool, and its market figures.',
    examples: [
      {
        address: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        chainId: 8453,
        name: 'Harbour Cat',
        symbol: 'HCAT',
        decimals: 18,
        totalSupply: '1000000000000000000000000000',
        description: 'The cat that sleeps on the slipway.',
        imageUrl: 'https://images.example.org/hcat.webp',
        bannerUrl: null,
        metadataUri: 'ipfs://bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku',
        links: { website: 'https://hcat.example.org', twitter: null, telegram: null, discord: null },
        creator: '0x70997970c51812dc3a010c7d01b50e0d17dc79c8',
        createdAt: '2026-11-20T09:30:00.000Z',
        blockNumber: 22_410_377,
        txHash: '0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b',
        logIndex: 4,
        confirmed: true,
        status: 'curve',
        lifecycle: 'curve',
        progressPct: 12.5,
        graduatedAt: null,
        poolAddress: null,
        launchpad: { kind: 'slipway', address: '0xe7f1725e7734ce288f8367e1bb143e90bb3f0512', name: 'Slipway' },
        quote: exampleQuote,
        virtualQuote: '1833333333333333334',
        virtualToken: '775757575757575757575757576',
        realQuote: '500000000000000000',
        realToken: '509090909090909090909090908',
        targetQuote: '4000000000000000000',
        protocolFeeBps: 100,
        creatorFeeBps: 50,
        priceNative: '0.0000000023632812500000000008593749992614746',
        priceQuote: '0.0000000023632812500000000008593749992614746',
        priceUsd: 0.00000708984375,
        marketCapUsd: 7089.84375,
        athMarketCapUsd: 7411.2,
        liquidityUsd: 1500,
        volume: { h1: '120000000000000000', h24: '900000000000000000', total: '900000000000000000' },
        volumeQuote: { h1: '120000000000000000', h24: '900000000000000000', total: '900000000000000000' },
        volumeUsd24h: 2700,
        priceChangePct: { m5: 0, h1: 4.2, h24: 89.0625 },
        buys24h: 41,
        sells24h: 12,
        traders24h: 23,
        lastTradeAt: '2026-11-20T11:58:12.000Z',
        holderCount: 19,
        top10Pct: 21.7,
        creatorHeldPct: 3.1,
        sniperPct: 0.8,
        bundlerPct: 4.189356,
        commentCount: 0,
        likeCount: 0,
        likedByMe: null,
        watcherCount: 0,
        watchedByMe: null,
        featured: false,
        hidden: false,
        symbolTakenBefore: false,
        risk: {
          snipers: { count: 5, pct: 4.189356 },
          bundlers: { count: 5, pct: 4.189356 },
          insiders: { count: 1, pct: 0.5 },
          freshWallets: { count: 9, pct: 7.25 },
          washTradePct: 12.5,
          creatorSoldPct: 3.1,
        },
        suspicious: { count: 6, pct: 4.689356 },
      },
    ],
  },
)

export const TokenListQuery = PageQuery({
  sort: Type.Optional(TokenOrder),
  direction: Type.Optional(TokenDirection),
  ...filterProperties,
})
export const TokenPage = PageList(ref(Token))
export const TokenCursorQuery = CursorQuery({})
export const TokenList = CursorList(ref(Token))
/** Tokens of one request by address, at most. */
export const MAX_BATCH = 200
export const TokenBatchRequest = Closed({
  addresses: Type.Array(Address, { minItems: 1, maxItems: MAX_BATCH }),
})
export const TokenBatch = Type.Object({ items: Type.Array(ref(Token)) })

const time = (description: string) => Type.Optional(Type.Integer({ minimum: 0, maximum: MAX_UNIX_TIME, description }))
export const TradeQuery = CursorQuery({
  wallet: Type.Optional({ ...Address, description: 'Only trades of this wallet, the `trader`.' }),
  side: Type.Optional(OneOf(['buy', 'sell'], { description: 'Only purchases, or only sales.' })),
  minQuote: Type.Optional({ ...Amount, description: 'Only trades of this `quoteAmount` or more; at most `maxQuote`.' }),
  maxQuote: Type.Optional({ ...Amount, description: 'Only trades of at most this `quoteAmount`, in base units.' }),
  from: time('Start in Unix seconds, inclusive. Not after `to`.'),
  to: time('End in Unix seconds, inclusive.'),
})

export const Trade = component(
  'Trade',
  {
    id: Type.String({ description: 'Transaction hash and log index of the trade.' }),
    token: Address,
    trader: Type.String({
      ...Address,
      description: 'The wallet that paid. For a swap in a pool whose trader cannot be determined, the recipient.',
    }),
    recipient: Type.String({ ...Address, description: 'Wallet that received the output.' }),
    side: OneOf(['buy', 'sell']),
    venue: OneOf(['curve', 'pool']),
    quote: ref(QuoteAsset),
    tokenAmount: Amount,
    quoteAmount: Type.String({
      ...Amount,
      description: 'Native coin in base units: paid by the buyer including fees, or received by the seller after fees.',
    }),
    priceNative: Nullable(Decimal),
    priceQuote: Nullable(
      Type.String({ ...Decimal, description: 'Price of one whole token in whole units of the quote asset.' }),
    ),
    priceUsd: usd('Price of one whole token after the trade.'),
    valueUsd: usd('Value of quoteAmount at the time of the trade.'),
    protocolFee: Nullable(Type.String({ ...Amount, description: 'Null if the launchpad does not say.' })),
    creatorFee: Nullable(Type.String({ ...Amount, description: 'Null if the launchpad does not say.' })),
    timestamp: IsoTime,
    ...chainFields,
  },
  {
    description: 'A trade on the curve or in the pool. A transaction may contain several.',
    examples: [
      {
        id: '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77-11',
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        trader: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        recipient: '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc',
        side: 'buy',
        venue: 'curve',
        quote: exampleQuote,
        tokenAmount: '41893560112006519471348291',
        quoteAmount: '100000000000000000',
        priceNative: '0.0000000023632812500000000008593749992614746',
        priceQuote: '0.0000000023632812500000000008593749992614746',
        priceUsd: 0.00000708984375,
        valueUsd: 300,
        protocolFee: '1000000000000000',
        creatorFee: '500000000000000',
        timestamp: '2026-11-20T11:58:12.000Z',
        blockNumber: 22_414_823,
        txHash: '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77',
        logIndex: 11,
        confirmed: false,
      },
    ],
  },
)
export const TradeList = CursorList(ref(Trade))

export const components = [QuoteAsset, Token, Trade, Holder]

const exampleToken = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const exampleWallet = '0x3c44cdddb6a900fa2b585dd299e03d12fa4293bc'
const retractedHash = '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77'

const RetractedTrade = component(
  'RetractedTrade',
  {
    id: Type.String({ description: 'Id of the retracted trade.' }),
    token: Address,
    trader: Address,
    side: OneOf(['buy', 'sell']),
    blockNumber: Type.Integer(),
    txHash: TxHash,
    logIndex: Type.Integer(),
  },
  {
    description: 'A trade that a reorg undid. It may be included again in another block, as a new trade.',
    examples: [
      {
        id: `${retractedHash}-11`,
        token: exampleToken,
        trader: exampleWallet,
        side: 'buy',
        blockNumber: 22_414_823,
        txHash: retractedHash,
        logIndex: 11,
      },
    ],
  },
)
const RetractedToken = component(
  'RetractedToken',
  { token: Address, blockNumber: Type.Integer(), txHash: TxHash, logIndex: Type.Integer() },
  {
    description: 'A launch or a graduation that a reorg undid. It may be included again in another block.',
    examples: [{ token: exampleToken, blockNumber: 22_414_823, txHash: retractedHash, logIndex: 3 }],
  },
)

export const channels = {
  tokens: { description: 'Launches and graduations of all tokens.', example: 'tokens' },
  trades: { description: 'Every trade.', example: 'trades' },
  token: { parameter: 'address', description: 'All events of one token.', example: `token:${exampleToken}` },
} as const satisfies Record<string, Channel>

export const liveEvents = {
  'token.created': { data: Token, channels: ['tokens', 'feed'], description: 'A token was launched.' },
  'token.updated': {
    data: Token,
    channels: ['token'],
    description: 'The state, figures or metadata of a token changed.',
  },
  'token.graduated': {
    data: Token,
    channels: ['tokens', 'feed', 'token'],
    description: 'A token moved from its curve to its pool.',
  },
  'token.created.retracted': {
    data: RetractedToken,
    channels: ['tokens', 'feed'],
    description: 'A reorg undid a launch.',
  },
  'token.graduated.retracted': {
    data: RetractedToken,
    channels: ['tokens', 'feed', 'token'],
    description: 'A reorg undid a graduation.',
  },
  trade: { data: Trade, channels: ['trades', 'feed', 'token'], description: 'A token was bought or sold.' },
  'trade.retracted': {
    data: RetractedTrade,
    channels: ['trades', 'feed', 'token'],
    description: 'A reorg undid a trade.',
  },
} as const satisfies Record<string, LiveEvent>
