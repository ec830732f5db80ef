import { Address, component, Nullable, ref } from './common.ts'
import type { Channel, LiveEvent } from './live.ts'
import { Token } from './tokens.ts'
import type { ViewQuery } from './view-query.ts'

/** A curve is about to graduate from this progress on, in percent. */
const GRADUATING_PCT = 70

/** Views with a name of their own, of the usual number of tokens. */
export const namedViews = {
  new: { sort: 'newest' },
  graduating: { sort: 'curve', filter: { minProgressPct: GRADUATING_PCT } },
  graduated: { sort: 'graduated' },
} as const satisfies Record<string, ViewQuery>
export type NamedView = keyof typeof namedViews

const exampleToken = '0x9fe46736679d2d9a65f0992f2272de9f3c7fa6e0'
const examplePrevious = '0xcf7ed3acca5a467e9e704c703e8d87f634fb0fc9'

export const ViewedToken = component(
  'ViewedToken',
  {
    after: Nullable({
      ...Address,
      description: 'The token that this one follows in the view; null: it is the first.',
    }),
    token: ref(Token),
  },
  {
    description: 'A token of a view with its place.',
    examples: [{ after: examplePrevious, token: Token.examples[0] }],
  },
)
export const UnviewedToken = component(
  'UnviewedToken',
  { address: Address },
  { description: 'A token that is no longer in a view.', examples: [{ address: exampleToken }] },
)

export const channels = {
  view: {
    parameter: 'view',
    description:
      `A live list of tokens: \`new\`, \`graduating\` (from ${GRADUATING_PCT} % of the curve on) or \`graduated\`, or the one that the ` +
      'response to a subscription to `view` names. Its `seq` counts by itself.',
    example: 'view:new',
  },
} as const satisfies Record<string, Channel>

export const liveEvents = {
  'view.added': { data: ViewedToken, channels: ['view'], description: 'A token entered a view.' },
  'view.updated': {
    data: ViewedToken,
    channels: ['view'],
    description: 'The record or the place of a token in a view changed.',
  },
  'view.removed': { data: UnviewedToken, channels: ['view'], description: 'A token left a view.' },
} as const satisfies Record<string, LiveEvent>
