import type { Client } from './client.ts'

/** What a page of a list is, whatever it lists. */
interface Page {
  items: readonly unknown[]
  nextCursor: string | null
}
/** An operation that lists, as listTokens. */
// biome-ignore lint/suspicious/noExplicitAny: each takes options of its own, which are looked up from its type
type ListOperation = (client: Client, options: any) => Promise<Page>
type Rest<Operation extends ListOperation> =
  Parameters<Operation> extends [client: Client, ...options: infer Options] ? Options : never
type Item<Operation extends ListOperation> = Awaited<ReturnType<Operation>>['items'][number]

/**
 * Every item of a list, by its cursor, a page whenever the loop has come to the end of the one before:
 * `for await (const token of iterate(client, listTokens, { query: { sort: 'newest', limit: 100 } }))`.
 */
export async function* iterate<Operation extends ListOperation>(
  client: Client,
  operation: Operation,
  ...[options]: Rest<Operation>
): AsyncGenerator<Item<Operation>, void, undefined> {
  const { query, ...rest } = (options ?? {}) as { query?: object }
  let page = await operation(client, { ...rest, query })
  for (;;) {
    yield* page.items as Item<Operation>[]
    if (page.nextCursor === null) return
    // A number of a page says where to begin; from there on it is the cursor that says where.
    page = await operation(client, { ...rest, query: { ...query, page: undefined, cursor: page.nextCursor } })
  }
}
