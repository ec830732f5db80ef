import { Type } from '@sinclair/typebox'
import { Amount, component, Nullable, ref } from '../common.ts'
import { LaunchpadKindFilter } from '../launchpad.ts'

/** The most days of a response. */
export const MAX_DAYS = 366
export const DEFAULT_DAYS = 30

const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-11-29'] })

export const DailyStatisticsQuery = Type.Object({
  from: Type.Optional(
    day(
      `First day (UTC). Default: ${DEFAULT_DAYS} days up to \`to\`. Of a longer range, the last ${MAX_DAYS} days are returned.`,
    ),
  ),
  to: Type.Optional(day('Last day (UTC), inclusive. Default: today, by the chain’s clock.')),
  launchpad: LaunchpadKindFilter('Only trades of tokens of this kind of launchpad; no days if it is unknown'),
})

const fee = (description: string) =>
  Nullable(
    Type.String({
      ...Amount,
      description:
        `${description} Null if the events of the launchpad do not contain its fees, and for a day whose trades were archived ` +
        'before this figure was kept.',
    }),
  )
const feeUsd = Nullable(
  Type.Number({ description: 'At the average rate of the volume of the day. Null if one of both is unknown.' }),
)

export const DayStatistics = component(
  'DayStatistics',
  {
    date: day('Day, UTC.'),
    time: Type.Integer({ description: 'Start of the day in Unix seconds.' }),
    complete: Type.Boolean({
      description:
        'Whether blocks after the end of the day are indexed. Until these are final, a reorg can change the day.',
    }),
    trades: Type.Integer(),
    volume: Type.String({ ...Amount, description: 'Volume of the trades on curves and in pools.' }),
    volumeUsd: Nullable(Type.Number({ description: 'At the rates of the trades. Null without a price feed.' })),
    protocolFees: fee('Fees of the launchpad.'),
    protocolFeesUsd: feeUsd,
    creatorFees: fee('Fees of the creators.'),
    creatorFeesUsd: feeUsd,
  },
  {
    description: 'Trades of a day, including hidden tokens. Amounts are native coin in base units.',
    examples: [
      {
        date: '2026-11-29',
        time: 1_795_910_400,
        complete: true,
        trades: 60_412,
        volume: '912340000000000000000',
        volumeUsd: 2_737_020,
        protocolFees: '9123400000000000000',
        protocolFeesUsd: 27_370.2,
        creatorFees: '4561700000000000000',
        creatorFeesUsd: 13_685.1,
      },
    ],
  },
)
export const DayStatisticsList = Type.Object({
  items: Type.Array(ref(DayStatistics), {
    description: 'Every day since the first trade, with or without trades, in ascending order.',
  }),
})

export const components = [DayStatistics]
