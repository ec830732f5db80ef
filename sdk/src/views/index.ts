import type { EventData } from '../rooms.ts'
import type { Live } from '../socket.ts'
import type { Options, Schema } from '../types.ts'

type Token = Schema<'Token'>
type ListQuery = NonNullable<Options<'listTokens'>['query']>

/** A view with a name, or the tokens of a filter: the parameters of the token list, by the same names. */
export type View = 'new' | 'graduating' | 'graduated' | ViewQuery
export interface ViewQuery {
  filter?: Omit<ListQuery, 'sort' | 'direction' | 'page' | 'limit' | 'cursor'>
  sort?: ListQuery['sort']
  direction?: ListQuery['direction']
  /** At most 100; 20 by default. */
  limit?: number
}

export type ViewUpdate =
  /** The tokens in order: first all of them, then after each change. */
  | { type: 'tokens'; tokens: readonly Token[] }
  /** The service has refused the view. It is retried on the next connection. */
  | { type: 'refused'; code: string; message: string }

/**
 * Keeps the list of a view: it resumes after each reconnection, and begins again with the present tokens if that is not possible.
 * Returns the unsubscribe function.
 */
export function subscribeView(live: Live, view: View, handle: (update: ViewUpdate) => void): () => void {
  let tokens: readonly Token[] = []
  const show = (list: readonly Token[]) => {
    tokens = list
    handle({ type: 'tokens', tokens })
  }
  const ask = typeof view === 'string' ? { room: `view:${view}` } : { room: 'view', ...view }
  return live.subscribe(
    'view:',
    (message) => {
      switch (message.type) {
        case 'subscribed':
        case 'gap':
          // Without tokens, it resumes with the list that it has.
          if (message.snapshot) show(message.snapshot)
          break
        case 'refused':
          handle({ type: 'refused', code: message.code, message: message.message })
          break
        case 'view.removed':
          show(without(tokens, message.data.address))
          break
        default:
          show(place(tokens, message.data))
      }
    },
    { ask },
  )
}

const without = (tokens: readonly Token[], address: string) => tokens.filter((token) => token.address !== address)

function place(tokens: readonly Token[], { after, token }: EventData['view.added']): Token[] {
  const others = without(tokens, token.address)
  const index = after === null ? 0 : others.findIndex(({ address }) => address === after) + 1
  return [...others.slice(0, index), token, ...others.slice(index)]
}
