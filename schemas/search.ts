import { Type } from '@sinclair/typebox'
import { Address, component, Limit, Nullable, ref } from './common.ts'
import { LaunchpadKindFilter } from './launchpad.ts'
import { Token } from './tokens.ts'

export const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$',
    description: 'A name, a symbol, a username, an address or the start of an address. Case-insensitive.',
    examples: ['cat'],
    'x-expects': 'must contain text to search for, and no control characters',
  }),
  launchpad: LaunchpadKindFilter('Only tokens of this kind of launchpad, among the best 1,000 matches of each sort'),
  limit: Limit,
})

export const SearchMatches = component(
  'SearchMatches',
  {
    tokens: Type.Array(ref(Token), {
      description:
        'Best matches first: address, exact symbol or one that looks like it, start of the symbol, start of the name, any ' +
        'part of either. Equal matches are ordered by market cap.',
    }),
    symbolTakenBy: Nullable(
      Type.String({
        ...Address,
        description:
          'The best match whose symbol is the searched text, or looks like it: another token with this symbol would have ' +
          '`symbolTakenBefore`. Null if there is none.',
      }),
    ),
    wallets: Type.Array(
      Type.Object({
        wallet: Address,
        username: Nullable(Type.String({ examples: ['ann'] })),
        avatarUrl: Nullable(Type.String({ examples: ['/uploads/5c1f9e.webp'] })),
        tradeCount: Type.Integer({ examples: [129] }),
        createdTokens: Type.Integer({ examples: [3] }),
      }),
      {
        description:
          'The wallet with the given address, if it has a username or has traded or launched a token; or wallets ' +
          'whose usernames start with the text, shortest first.',
      },
    ),
  },
  { description: 'Search results.' },
)

export const components = [SearchMatches]
