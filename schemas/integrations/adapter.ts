import { type TSchema, Type } from '@sinclair/typebox'
import { Address, component, OneOf, ref, TxHash } from '../common.ts'

/*
 * What the indexers of DEX Screener and GeckoTerminal read. Both ask for the same four documents; GeckoTerminal wants the decimals
 * of an asset as well. Field names, letter case of addresses and units are theirs: whole coins, not base units.
 */

/** An address with the checksum of EIP-55: to both, ids that differ in case are different things. */
export const ChecksumAddress = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'An address with the checksum of EIP-55.',
  examples: ['0x5FbDB2315678afecb367f032d93F642f64180aa3'],
})

const Decimals = (description: string) =>
  Type.String({ pattern: '^[0-9]+(\\.[0-9]{1,50})?$', description, examples: ['0.000000041900000001'] })
const amount = (description: string) => Type.Optional(Decimals(description))
const Metadata = Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Whatever else is known.' }))

const feedBlock = {
  blockNumber: Type.Integer({ minimum: 0 }),
  blockTimestamp: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
}
const block = { blockNumber: 22_414_823, blockTimestamp: 1_795_176_000 }

export const FeedLatestBlock = component(
  'FeedLatestBlock',
  { block: Type.Object(feedBlock) },
  { description: 'How far the events can be read.', examples: [{ block }] },
)

const asset = {
  id: ChecksumAddress,
  name: Type.String({ minLength: 1 }),
  symbol: Type.String({ minLength: 1 }),
}
const supply = {
  totalSupply: amount('Whole tokens. Absent of the native coin, whose supply is not ours to tell.'),
  metadata: Metadata,
}
const exampleAsset = { id: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0', name: 'Harbour Cat', symbol: 'HCAT' }
const exampleRest = { totalSupply: '1000000000', metadata: { website: 'https://hcat.example.org' } }

export const FeedAsset = component(
  'FeedAsset',
  { asset: Type.Object({ ...asset, ...supply }) },
  {
    description: 'A token, or the wrapped native coin that tokens are priced in.',
    examples: [{ asset: { ...exampleAsset, ...exampleRest } }],
  },
)

export const FeedAssetWithDecimals = component(
  'FeedAssetWithDecimals',
  { asset: Type.Object({ ...asset, decimals: Type.Integer({ minimum: 0, maximum: 255 }), ...supply }) },
  {
    description: 'A token, or the wrapped native coin that tokens are priced in, with its decimals.',
    examples: [{ asset: { ...exampleAsset, decimals: 18, ...exampleRest } }],
  },
)

export const FeedPair = component(
  'FeedPair',
  {
    pair: Type.Object({
      id: ChecksumAddress,
      dexKey: Type.String({ minLength: 1, description: 'Where it trades: on our curve, or in a Uniswap V2 pool.' }),
      asset0Id: Type.String({ ...ChecksumAddress, description: 'The token. The order of the assets never changes.' }),
      asset1Id: Type.String({ ...ChecksumAddress, description: 'The wrapped native coin.' }),
      createdAtBlockNumber: Type.Integer({ minimum: 0 }),
      createdAtBlockTimestamp: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
      createdAtTxnId: TxHash,
      creator: Type.String({ ...ChecksumAddress, description: 'Who launched the token.' }),
      feeBps: Type.Integer({ minimum: 0, maximum: 10_000, description: 'Of a swap, in basis points.' }),
      metadata: Metadata,
    }),
  },
  {
    description:
      'A market of a token. While it is on its curve, and for the trades that were made there, the pair has the ' +
      'token’s own address; the pool that it graduates into is another pair, with the pool’s address.',
    examples: [
      {
        pair: {
          id: exampleAsset.id,
          dexKey: 'slipway',
          asset0Id: exampleAsset.id,
          asset1Id: '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2',
          createdAtBlockNumber: 22_414_000,
          createdAtBlockTimestamp: 1_795_166_124,
          createdAtTxnId: '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77',
          creator: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
          feeBps: 150,
          metadata: { launchpad: '0x5FbDB2315678afecb367f032d93F642f64180aa3' },
        },
      },
    ],
  },
)

export const FeedEvent = component(
  'FeedEvent',
  {
    block: Type.Object(feedBlock),
    eventType: OneOf(['swap', 'join', 'exit']),
    txnId: TxHash,
    txnIndex: Type.Integer({
      minimum: 0,
      description:
        'Orders the transactions of a block, and is the same for all events of one. Not its index at the node, which ' +
        'is not kept, but where in the block its first trade stands among all logs.',
    }),
    eventIndex: Type.Integer({
      minimum: 0,
      description: 'Orders the events of a transaction: twice the log index, and one more for a second event of a log.',
    }),
    maker: Type.String({ ...ChecksumAddress, description: 'Who traded; of a graduation the launchpad.' }),
    pairId: ChecksumAddress,
    asset0In: amount('Of a sale: tokens paid in.'),
    asset1In: amount('Of a purchase: native coin paid in.'),
    asset0Out: amount('Of a purchase: tokens paid out.'),
    asset1Out: amount('Of a sale: native coin paid out.'),
    priceNative: amount('Of a swap: the price of asset0 in asset1 that it left the market at.'),
    amount0: amount('Of a join or an exit: tokens moved.'),
    amount1: amount('Of a join or an exit: native coin moved.'),
    reserves: Type.Object(
      { asset0: Decimals('Tokens in the market.'), asset1: Decimals('Native coin in the market.') },
      { description: 'After the event.' },
    ),
  },
  { description: 'A swap, or liquidity that joins or leaves a market. Amounts are whole coins.' },
)

export const FeedEvents = component(
  'FeedEvents',
  { events: Type.Array(ref(FeedEvent)) },
  {
    description: 'In the order of the chain: by block, txnIndex and eventIndex.',
    examples: [
      {
        events: [
          {
            block,
            eventType: 'swap',
            txnId: '0x5f1d4f7f4e3b0f9f8f1d3d4a3f4d4c0e2a6cbb3c3a1de5cbb1f0d5f2ab9e1c77',
            txnIndex: 11,
            eventIndex: 22,
            maker: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC',
            pairId: exampleAsset.id,
            asset1In: '0.1',
            asset0Out: '41893560.112006519471348291',
            priceNative: '0.000000002363281250',
            reserves: { asset0: '958106439.887993480528651709', asset1: '0.0985' },
          },
        ],
      },
    ],
  },
)

const id = (description: string) =>
  Type.Object({
    id: Type.String({ ...(Address as TSchema), description, examples: [exampleAsset.id] }),
  })

export const FeedAssetQuery = id('Address of a token, or of the wrapped native coin.')
export const FeedPairQuery = id('Address of a token, for its curve, or of a pool.')

/** Bounds of one request for events. */
export const feedLimits = { blocks: 10_000, events: 5_000 } as const

const height = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const FeedEventsQuery = Type.Object({
  fromBlock: height('The first block, included.'),
  toBlock: height(
    `The last block, included: not above the latest block, and at most ${feedLimits.blocks} blocks in all.`,
  ),
})

export const components = [FeedLatestBlock, FeedAsset, FeedAssetWithDecimals, FeedPair, FeedEvent, FeedEvents]
