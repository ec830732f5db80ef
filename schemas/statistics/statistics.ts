import { Type } from '@sinclair/typebox'
import { Amount, component, IsoTime, Nullable, OneOf } from '../common.ts'
import type { Channel, LiveEvent } from '../live.ts'

const period = (description: string) =>
  Type.Object(
    {
      trades: Type.Integer(),
      traders: Type.Integer({ description: 'Number of wallets that traded.' }),
      volume: Amount,
      volumeUsd: Nullable(Type.Number({ description: 'Null without a price feed.' })),
      protocolFees: Amount,
      creatorFees: Amount,
    },
    { description },
  )

export const Statistics = component(
  'Statistics',
  {
    tokens: Type.Object({
      total: Type.Integer(),
      onCurve: Type.Integer({ description: 'Tokens that trade on their curves, or whose curve is sold out.' }),
      graduated: Type.Integer({
        description: 'Tokens that trade in their pools, also those that were launched there.',
      }),
      created24h: Type.Integer(),
    }),
    h24: period('The last 24 hours. Amounts are native coin in base units.'),
    total: period('Since the first launch.'),
    staking: Type.Object({
      pools: Type.Integer(),
      positions: Type.Integer({ description: 'Number of stakes, counted once per wallet and pool.' }),
      stakedValue: Nullable(
        Type.String({
          ...Amount,
          description: 'Value in native coin of all stakes in tokens with a known price; null if there is none.',
        }),
      ),
      stakedValueUsd: Nullable(Type.Number()),
    }),
    raises: Type.Object({
      total: Type.Integer(),
      open: Type.Integer({ description: 'Raises that accept commitments now.' }),
      proposals: Type.Integer(),
      committed: Type.String({
        ...Amount,
        description: 'Native coin committed to all raises, including refunded commitments.',
      }),
      committedUsd: Nullable(Type.Number()),
      released: Type.String({ ...Amount, description: 'Native coin paid out by proposals.' }),
      refunded: Type.String({ ...Amount, description: 'Native coin refunded to committers.' }),
    }),
    quoteUsd: Nullable(Type.Number({ description: 'Price of one native coin in US dollars.' })),
    indexer: Type.Object(
      {
        blockNumber: Nullable(Type.Integer({ description: 'Last indexed block, included in all figures.' })),
        blockTime: Nullable(IsoTime),
        finalizedBlock: Nullable(Type.Integer({ description: 'Records up to this block are confirmed.' })),
        provenBlock: Nullable(
          Type.Integer({
            description:
              'The indexed logs up to this block are proven by the headers of their blocks. It follows a backfill later, ' +
              'and may be a minute old.',
          }),
        ),
        proofs: Nullable(
          OneOf(['complete', 'running', 'off', 'unsupported'], {
            description:
              'complete: provenBlock is the last indexed block; running: blocks are proven in the background; off: by ' +
              'configuration; unsupported: no node has receipts that prove logs.',
          }),
        ),
        chainHead: Nullable(Type.Integer({ description: 'Newest block that the indexer has seen.' })),
        lagBlocks: Nullable(Type.Integer(), {
          description: 'Blocks that it has seen and not indexed. Null while no indexer is active.',
        }),
        recovery: Nullable(
          Type.Object(
            {
              blockNumber: Nullable(Type.Integer({ description: 'Logs up to this block are compared.' })),
              toBlock: Nullable(Type.Integer({ description: 'The last block to compare.' })),
              recoveredLogs: Type.Integer({ description: 'Logs that were missing, and are applied now.' }),
            },
            {
              description:
                'Progress while logs of pools, some of which an earlier version may have dropped, are compared with the ' +
                'chain once. Null when nothing is left to compare.',
            },
          ),
        ),
      },
      { description: 'State of the indexer. Null before the first block.' },
    ),
  },
  {
    description: 'Platform statistics, including hidden tokens.',
    examples: [
      {
        tokens: { total: 18_204, onCurve: 18_011, graduated: 193, created24h: 412 },
        h24: {
          trades: 60_412,
          traders: 5_120,
          volume: '912340000000000000000',
          volumeUsd: 2_737_020,
          protocolFees: '9123400000000000000',
          creatorFees: '4561700000000000000',
        },
        total: {
          trades: 3_100_245,
          traders: 90_334,
          volume: '41220000000000000000000',
          volumeUsd: 123_660_000,
          protocolFees: '412200000000000000000',
          creatorFees: '206100000000000000000',
        },
        staking: { pools: 3, positions: 412, stakedValue: '51200000000000000000', stakedValueUsd: 153_600 },
        raises: {
          total: 14,
          open: 2,
          proposals: 9,
          committed: '184000000000000000000',
          committedUsd: 552_000,
          released: '61000000000000000000',
          refunded: '12000000000000000000',
        },
        quoteUsd: 3000,
        indexer: {
          blockNumber: 22_414_830,
          blockTime: '2026-11-20T12:00:00.000Z',
          finalizedBlock: 22_414_818,
          provenBlock: 22_414_830,
          proofs: 'complete',
          chainHead: 22_414_830,
          lagBlocks: 0,
          recovery: null,
        },
      },
    ],
  },
)

export const components = [Statistics]

export const channels = {
  stats: { description: 'Changes of the platform statistics.', example: 'stats' },
} as const satisfies Record<string, Channel>

export const liveEvents = {
  stats: { data: Statistics, channels: ['stats'], description: 'The platform statistics changed.' },
} as const satisfies Record<string, LiveEvent>
