import { Type } from '@sinclair/typebox'
import { Id } from './comments.ts'
import { Address, Closed, CursorList, CursorQuery, component, IsoTime, Nullable, OneOf, ref } from './common.ts'
import { Author } from './profiles.ts'
import { TokenLabel } from './social.ts'

export const alertTypes = ['price', 'price_change', 'graduation', 'trade'] as const
/** Windows of a price change, in seconds by name. */
export const alertWindows = { m5: 300, h1: 3_600, h6: 21_600, h24: 86_400 } as const
export type AlertWindow = keyof typeof alertWindows
export const alertMetrics = ['priceNative', 'priceUsd', 'marketCapNative', 'marketCapUsd'] as const

const Metric = OneOf(alertMetrics, {
  description: 'Native: in whole native coins. In US dollars it never triggers while no price feed is configured.',
})
const Direction = OneOf(['above', 'below'], { description: 'Triggers at or above the value, or at or below it.' })
const Window = OneOf(Object.keys(alertWindows) as AlertWindow[], { description: 'The time before the trade.' })
const Price = Type.Number({ exclusiveMinimum: 0, maximum: 1e60, description: 'The price or market capitalisation.' })
const Percent = Type.Number({
  minimum: -100,
  maximum: 1e9,
  description: 'Percent, as in `priceChangePct`: `below` -10 triggers on a fall by a tenth.',
})

export const AlertRequest = Type.Union(
  [
    Closed({ type: Type.Literal('price'), token: Address, metric: Metric, direction: Direction, value: Price }),
    Closed({
      type: Type.Literal('price_change'),
      token: Address,
      window: Window,
      direction: Direction,
      value: Percent,
    }),
    Closed({ type: Type.Literal('graduation'), token: Address }),
    Closed({ type: Type.Literal('trade'), wallet: Address }),
  ],
  {
    description:
      'An alert about the price, the change of the price or the graduation of a token, or about trades of a wallet.',
    examples: [
      {
        type: 'price',
        token: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
        metric: 'marketCapUsd',
        direction: 'above',
        value: 100_000,
      },
    ],
  },
)

export const Alert = component(
  'Alert',
  {
    id: Id,
    type: OneOf(alertTypes),
    token: Nullable(TokenLabel, { description: 'Null for an alert about a wallet.' }),
    wallet: Nullable(ref(Author), { description: 'The wallet whose trades it is about; else null.' }),
    metric: Nullable(Metric, { description: 'Of a price; else null.' }),
    window: Nullable(Window, { description: 'Of a price change; else null.' }),
    direction: Nullable(Direction, { description: 'Of a price and a price change; else null.' }),
    value: Nullable(Type.Number(), { description: 'Of a price and a price change; else null.' }),
    createdAt: IsoTime,
    triggeredAt: Nullable(
      Type.String({
        ...IsoTime,
        description:
          'Time of the block that triggered it; null while it waits. An alert about trades waits for the next trade.',
      }),
    ),
  },
  {
    description: 'An alert of the own wallet.',
    examples: [
      {
        id: '17',
        type: 'price',
        token: {
          address: '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0',
          name: 'Harbour Cat',
          symbol: 'HCAT',
          imageUrl: 'https://images.example.org/hcat.webp',
          decimals: 18,
        },
        wallet: null,
        metric: 'marketCapUsd',
        window: null,
        direction: 'above',
        value: 100_000,
        createdAt: '2026-11-21T12:00:00.000Z',
        triggeredAt: null,
      },
    ],
  },
)

export const AlertQuery = CursorQuery({ token: Type.Optional(Address) })
export const AlertList = CursorList(ref(Alert))

export const AlertDeletion = component(
  'AlertDeletion',
  { id: Id, deleted: Type.Literal(true) },
  { description: 'Confirms that an alert is deleted.', examples: [{ id: '17', deleted: true }] },
)

export const components = [Alert, AlertDeletion]
