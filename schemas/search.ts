import { Type } from '@sinclair/typebox'
import { Address, component, Limit, Nullable, ref } from './common.ts'
import { Token } from './tokens.ts'

export const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$',
    description: 'A name, a symbol, a username, or an address or the beginning of one. Letter case does not matter.',
    examples: ['cat'],
    'x-expects': 'must hold something to search for, and no control characters',
  }),
  limit: Limit,
})

export const SearchResult = component(
  'SearchResult',
  {
    tokens: Type.Array(ref(Token), {
      description:
        'The best matches first: of the address, the symbol, the beginning of the symbol, of the name, anything within ' +
        'either; equals by market cap.',
    }),
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
          'The wallet of the address searched for, if it has a name or has traded or launched anything; or those whose ' +
          'usernames begin so, the shortest first.',
      },
    ),
  },
  { description: 'What a search found.' },
)

export const components = [SearchResult]
