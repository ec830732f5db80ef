import { Type } from '@sinclair/typebox'
import { Address, component, Limit, ref } from './common.ts'
import { Token } from './tokens.ts'

export const SearchQuery = Type.Object({
  q: Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^(?=.*\\S)[^\\u0000-\\u001f\\u007f]*$',
    description: 'A name, a symbol, or an address or the beginning of one. Letter case does not matter.',
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
        tradeCount: Type.Integer({ examples: [129] }),
        createdTokens: Type.Integer({ examples: [3] }),
      }),
      { description: 'The wallet of the address searched for, if it has traded or launched anything.' },
    ),
  },
  { description: 'What a search found.' },
)

export const components = [SearchResult]
