import { Type } from '@sinclair/typebox'
import { component, IsoTime, OneOf } from '../common.ts'
import { ChecksumAddress } from './adapter.ts'

/** Limits of the published token list schema. */
export const tokenListLimits = { tokens: 10_000, parts: 100, name: 60, symbol: 20, title: 30 } as const

const ListedToken = Type.Object({
  chainId: Type.Integer({ minimum: 1 }),
  address: ChecksumAddress,
  decimals: Type.Integer({ minimum: 0, maximum: 255 }),
  name: Type.String({
    maxLength: tokenListLimits.name,
    description: 'Truncated to the maximum length of the token list schema.',
  }),
  symbol: Type.String({ maxLength: tokenListLimits.symbol, description: 'Truncated likewise, with spaces removed.' }),
  logoURI: Type.Optional(Type.String({ format: 'uri' })),
})

const Version = Type.Object(
  {
    major: Type.Integer({ minimum: 0, description: 'Number of removals of a token.' }),
    minor: Type.Integer({ minimum: 0, description: 'Number of additions of a token.' }),
    patch: Type.Integer({ minimum: 0, description: 'Number of changed token images.' }),
  },
  { description: 'Never decreases, and is equal on all replicas.' },
)

export const TokenList = component(
  'TokenList',
  {
    name: Type.String({ minLength: 1, maxLength: tokenListLimits.title }),
    timestamp: { ...IsoTime, description: 'Time of this version.' } as typeof IsoTime,
    version: Version,
    logoURI: Type.Optional(Type.String({ format: 'uri' })),
    keywords: Type.Array(Type.String()),
    tokens: Type.Array(ListedToken, { minItems: 1, maxItems: tokenListLimits.tokens }),
  },
  {
    description: 'A token list for import by wallets and exchanges.',
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
      description:
        'graduated: tokens that have graduated to a pool, which any exchange can trade. all: all launched tokens.',
    }),
  ),
  part: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: tokenListLimits.parts,
      default: 1,
      description:
        `Part of the list. Each part has up to ${tokenListLimits.tokens} tokens; later tokens are in the next ` +
        'part.',
    }),
  ),
})

export const components = [TokenList]
