import { type Static, Type } from '@sinclair/typebox'
import { Closed } from './common.ts'
import { filterProperties, TokenDirection, TokenOrder, type TokenOrdering } from './screener.ts'

/** Tokens of a view, at most. */
export const MAX_VIEW_TOKENS = 100
/** Tokens of a view, unless a limit is given. */
export const VIEW_TOKENS = 20

const Filter = Closed(filterProperties, {
  description: 'Only for the room `view`: the filters of GET /tokens, by the same names; numbers and booleans as such.',
})

/** What a subscribe message for the room `view` may have. */
export const viewProperties = {
  filter: Type.Optional(Filter),
  sort: Type.Optional({ ...TokenOrder, description: `Only for the room \`view\`. ${TokenOrder.description}` }),
  direction: Type.Optional({
    ...TokenDirection,
    description: `Only for the room \`view\`. ${TokenDirection.description}`,
  }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: MAX_VIEW_TOKENS,
      default: VIEW_TOKENS,
      description: 'Only for the room `view`: the number of tokens.',
    }),
  ),
}

export interface ViewQuery {
  filter?: Static<typeof Filter>
  sort?: TokenOrdering['sort']
  direction?: TokenOrdering['direction']
  limit?: number
}
