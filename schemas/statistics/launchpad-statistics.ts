import { Type } from '@sinclair/typebox'
import { Amount, component, Nullable, ref } from '../common.ts'

const fee = (description: string) =>
  Nullable(
    Type.String({
      ...Amount,
      description: `${description} Null if the events of the launchpad do not contain its fees.`,
    }),
  )

const period = (description: string) =>
  Type.Object(
    {
      trades: Type.Integer(),
      volume: Amount,
      volumeUsd: Nullable(Type.Number({ description: 'Null without a price feed.' })),
      protocolFees: fee('Fees of the launchpad.'),
      creatorFees: fee('Fees of the creators.'),
    },
    { description },
  )

export const LaunchpadStatistics = component(
  'LaunchpadStatistics',
  {
    kind: Type.String({ description: 'Kind of the contracts, as in /config.', examples: ['slipway'] }),
    name: Type.String({ description: 'Name of the product.', examples: ['Slipway'] }),
    tokens: Type.Object({
      total: Type.Integer(),
      onCurve: Type.Integer({ description: 'Tokens that have not graduated.' }),
      graduated: Type.Integer(),
      created24h: Type.Integer(),
    }),
    h24: period('The last 24 hours. Amounts are native coin in base units.'),
    total: period('Since the first launch.'),
  },
  {
    description: 'Statistics of the tokens of a launchpad, including hidden ones, in all its contracts.',
    examples: [
      {
        kind: 'slipway',
        name: 'Slipway',
        tokens: { total: 18_204, onCurve: 18_011, graduated: 193, created24h: 412 },
        h24: {
          trades: 60_412,
          volume: '912340000000000000000',
          volumeUsd: 2_737_020,
          protocolFees: '9123400000000000000',
          creatorFees: '4561700000000000000',
        },
        total: {
          trades: 3_100_245,
          volume: '41220000000000000000000',
          volumeUsd: 123_660_000,
          protocolFees: '412200000000000000000',
          creatorFees: '206100000000000000000',
        },
      },
    ],
  },
)
export const LaunchpadStatisticsList = Type.Object({ items: Type.Array(ref(LaunchpadStatistics)) })

export const components = [LaunchpadStatistics]
