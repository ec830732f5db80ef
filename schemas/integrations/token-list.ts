import { Type } from '@sinclair/typebox'
import { component, IsoTime, OneOf } from '../common.ts'
import { ChecksumAddress } from './adapter.ts'

/** The published schema's own bounds. */
export const tokenListLimits = { tokens: 10_000, parts: 100, name: 60, symbol: 20, title: 30 } as const

const ListedToken = Type.Object({
  chainId: Type.Integer({ minimum: 1 }),
  address: ChecksumAddress,
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  name: Type.String({ maxLength: tokenListLimits.name, description: 'Cut to what the schema of lists takes.' }),
  symbol: Type.String({ maxLength: tokenListLimits.symbol, description: 'The same, without spaces.' }),
  logoURI: Type.Optional(Type.String({ format: 'uri' })),
})

const Version = Type.Object(
  {
    major: Type.Integer({ minimum: 0, description: 'How often a token was taken off.' }),
    minor: Type.Integer({ minimum: 0, description: 'How often one was put on.' }),
    patch: Type.Integer({ minimum: 0, description: 'How often the picture of one was changed.' }),
  },
  { description: 'Never goes back, and is the same at every replica.' },
)

export const TokenList = component(
  'TokenList',
  {
    name: Type.String({ minLength: 1, maxLength: tokenListLimits.title }),
    timestamp: { ...IsoTime, description: 'When this version came to be.' } as typeof IsoTime,
    version: Version,
    logoURI: Type.Optional(Type.String({ format: 'uri' })),
    keywords: Type.Array(Type.String()),
    tokens: Type.Array(ListedToken, { minItems: 1, maxItems: tokenListLimits.tokens }),
  },
  {
    description: 'A token list as wallets and exchanges import it.',
    examples: [
      {
        name: 'Slipway',
        timestamp: '2026-11-20T12:00:00.000Z',
        version: { major: 0, minor: 1, patch: 1 },
        keywords: ['launchpad'],
        tokens: [
          {
            chainId: 31_337,
            address: '0x9fE46736679d2D9a65F0992F2272dE9f3c7fa6e0',
            decimals: 18,
            name: 'Harbour Cat',
            symbol: 'HCAT',
            logoURI: 'https://images.example.org/hcat.webp',
          },
        ],
      },
    ],
  },
)

export const TokenListQuery = Type.Object({
  include: Type.Optional(
    OneOf(['graduated', 'all'], {
      default: 'graduated',
      description: 'Tokens that have graduated into a pool, which any exchange can trade, or all that were launched.',
    }),
  ),
  part: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: tokenListLimits.parts,
      default: 1,
      description: `A list holds ${tokenListLimits.tokens} tokens; those that came later are in the next part.`,
    }),
  ),
})

export const components = [TokenList]
