import { type TSchema, Type } from '@sinclair/typebox'
import { Address, component, OneOf, PoolAddress, ref, TxHash } from '../common.ts'

/**
 * Formats read by the indexers of DEX Screener and GeckoTerminal. Both use the same four documents; GeckoTerminal also
 * requires the decimals of an asset. Field names, letter case of addresses and units are theirs: whole coins, not base
 * units.
 */

/** An EIP-55 checksummed address: both indexers compare ids case-sensitively. */
export const ChecksumAddress = Type.String({
  pattern: '^0x[0-9a-fA-F]{40}$',
  description: 'An address with EIP-55 checksum.',
  examples: ['0x5FbDB2315678afecb367f032d93F642f64180aa3'],
})

/** The id of a pair. */
export const PairId = Type.String({
  pattern: '^0x([0-9a-fA-F]{40}|[0-9a-fA-F]{64})$',
  description: 'An address with EIP-55 checksum, or the id of a pool of Uniswap V4 in lower case.',
  examples: ['0x5FbDB2315678afecb367f032d93F642f64180aa3'],
})

const Decimals = (description: string) =>
  Type.String({ pattern: '^[0-9]+(\\.[0-9]{1,50})?$', description, examples: ['0.000000041900000001'] })
const amount = (description: string) => Type.Optional(Decimals(description))
const Metadata = Type.Optional(Type.Record(Type.String(), Type.String(), { description: 'Further known properties.' }))

const feedBlock = {
  blockNumber: Type.Integer({ minimum: 0 }),
  blockTimestamp: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
}
const block = { blockNumber: 22_414_823, blockTimestamp: 1_795_176_000 }

export const FeedLatestBlock = component(
  'FeedLatestBlock',
  { block: Type.Object(feedBlock) },
  { description: 'The latest block whose events can be read.', examples: [{ block }] },
)

const asset = {
  id: ChecksumAddress,
  name: Type.String({ minLength: 1 }),
  symbol: Type.String({ minLength: 1 }),
}
const supply = {
  totalSupply: amount('In whole tokens. Absent for the native coin.'),
  metadata: Metadata,
}
const exampleAsset = { id: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0', name: 'Harbour Cat', symbol: 'HCAT' }
const exampleRest = { totalSupply: '1000000000', metadata: { website: 'https://hcat.example.org' } }

export const FeedAsset = component(
  'FeedAsset',
  { asset: Type.Object({ ...asset, ...supply }) },
  {
    description: 'A token, or the wrapped native coin as quote asset.',
    examples: [{ asset: { ...exampleAsset, ...exampleRest } }],
  },
)

export const FeedAssetWithDecimals = component(
  'FeedAssetWithDecimals',
  { asset: Type.Object({ ...asset, decimals: Type.Integer({ minimum: 0, maximum: 255 }), ...supply }) },
  {
    description: 'A token, or the wrapped native coin as quote asset, with decimals.',
    examples: [{ asset: { ...exampleAsset, decimals: 18, ...exampleRest } }],
  },
)

export const FeedPair = component(
  'FeedPair',
  {
    pair: Type.Object({
      id: PairId,
      dexKey: Type.String({
        minLength: 1,
        description: 'Exchange of the pair: the launchpad of the curve, or the type of the pool, such as uniswap-v2.',
      }),
      asset0Id: Type.String({ ...ChecksumAddress, description: 'The token. The order of the assets never changes.' }),
      asset1Id: Type.String({ ...ChecksumAddress, description: 'The wrapped native coin.' }),
      createdAtBlockNumber: Type.Integer({ minimum: 0 }),
      createdAtBlockTimestamp: Type.Integer({ minimum: 0, description: 'Unix seconds.' }),
      createdAtTxnId: TxHash,
      creator: Type.String({ ...ChecksumAddress, description: 'Wallet that launched the token.' }),
      feeBps: Type.Optional(
        Type.Integer({ minimum: 0, maximum: 10_000, description: 'Swap fee in basis points. Absent if unknown.' }),
      ),
      metadata: Metadata,
    }),
  },
  {
    description:
      'A market of a token. The pair of the curve has the address of the token and keeps the trades made ' +
      'there. After graduation, the pool is a second pair with the address of the pool, or its id.',
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
        'Orders the transactions of a block; equal for all events of one transaction. It is not the transaction ' +
        'index, which is not stored, but the log index of the transaction’s first trade.',
    }),
    eventIndex: Type.Integer({
      minimum: 0,
      description: 'Orders the events of a transaction: twice the log index, plus one for the second event of a log.',
    }),
    maker: Type.String({ ...ChecksumAddress, description: 'The trader; for a graduation, the launchpad.' }),
    pairId: PairId,
    asset0In: amount('Sell: tokens paid in.'),
    asset1In: amount('Buy: native coin paid in.'),
    asset0Out: amount('Buy: tokens paid out.'),
    asset1Out: amount('Sell: native coin paid out.'),
    priceNative: amount('Swap: price of asset0 in asset1 after the swap.'),
    amount0: amount('Join or exit: tokens moved.'),
    amount1: amount('Join or exit: native coin moved.'),
    reserves: Type.Optional(
      Type.Object(
        { asset0: Decimals('Token reserve of the market.'), asset1: Decimals('Native coin reserve of the market.') },
        { description: 'Reserves after the event. Absent for a pool of Uniswap V3 or V4.' },
      ),
    ),
  },
  { description: 'A swap, or liquidity added to (join) or removed from (exit) a market. Amounts are whole coins.' },
)

export const FeedEvents = component(
  'FeedEvents',
  { events: Type.Array(ref(FeedEvent)) },
  {
    description: 'Events in chain order: by block, txnIndex and eventIndex.',
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

const id = (schema: TSchema, description: string) =>
  Type.Object({ id: Type.String({ ...schema, description, examples: [exampleAsset.id] }) })

export const FeedAssetQuery = id(Address, 'Address of a token, or of the wrapped native coin.')
export const FeedPairQuery = id(PoolAddress, 'Address of a token for its curve, or address or id of a pool.')

/** Limits of one request for events. */
export const feedLimits = { blocks: 10_000, events: 5_000 } as const

const height = (description: string) => Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description })

export const FeedEventsQuery = Type.Object({
  fromBlock: height('First block, inclusive.'),
  toBlock: height(
    `Last block, inclusive. At most the latest block, and at most ${feedLimits.blocks} blocks per request.`,
  ),
})

export const components = [FeedLatestBlock, FeedAsset, FeedAssetWithDecimals, FeedPair, FeedEvent, FeedEvents]
