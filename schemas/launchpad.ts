import { Type } from '@sinclair/typebox'
import { Address } from './common.ts'

export const TokenLaunchpad = Type.Object(
  {
    kind: Type.String({ description: 'Which contracts launched it.', examples: ['slipway'] }),
    address: Address,
    name: Type.String({ description: 'Name of the product.', examples: ['Slipway'] }),
  },
  { description: 'The launchpad that launched the token.' },
)

/** A parameter that takes a kind of launchpad. */
export const LaunchpadKindFilter = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: '^[a-z0-9-]{1,32}$',
      description: `${description}, as /config lists them.`,
      examples: ['slipway'],
      'x-expects': 'must be a kind of launchpad',
    }),
  )
