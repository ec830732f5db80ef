import { Type } from '@sinclair/typebox'
import { Address, component } from './common.ts'

export const QuoteAsset = component(
  'QuoteAsset',
  {
    address: Type.String({ ...Address, description: 'Contract of the asset; the zero address is the native coin.' }),
    symbol: Type.String({ examples: ['ETH'] }),
    decimals: Type.Integer({ examples: [18] }),
  },
  {
    description: 'The asset in which amounts other than token amounts are counted.',
    examples: [{ address: '0x0000000000000000000000000000000000000000', symbol: 'ETH', decimals: 18 }],
  },
)

/** For examples of records. */
export const exampleQuote = { address: '0x0000000000000000000000000000000000000000', symbol: 'ETH', decimals: 18 }
