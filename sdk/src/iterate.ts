import type { Client } from './client.ts'

/** A page of any list. */
export interface Page {
  items: readonly unknown[]
  nextCursor: string | null
}
/** A list operation, such as listTokens. */
// biome-ignore lint/suspicious/noExplicitAny: option types differ; Rest infers them from the operation
export type ListOperation = (client: Client, options: any) => Promise<Page>
type Rest<Operation extends ListOperation> =
  Parameters<Operation> extends [client: Client, ...options: infer Options] ? Options : never
export type Item<Operation extends ListOperation> = Awaited<ReturnType<Operation>>['items'][number]

/**
 * Iterates over all items of a list, and fetches each page on demand:
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
    // A page number only selects the first page; the cursor selects the following ones.
    page = await operation(client, { ...rest, query: { ...query, page: undefined, cursor: page.nextCursor } })
  }
}
