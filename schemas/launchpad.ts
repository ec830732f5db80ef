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
