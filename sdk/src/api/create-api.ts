import { type Client, type ClientOptions, createClient } from '../client.ts'
import type { Operation } from '../operation.ts'
import { bindOperation } from './bind.ts'
import { type ApiOperations, apiOperations } from './operations.ts'

/** A client with all operations: `api.tokens.get(address)`. */
export interface Api extends Client, ApiOperations {}

type Tree = { [name: string]: Operation<[options?: object], unknown> | Tree }

/**
 * Creates a client with all operations, with flat arguments. Where each byte counts, `createClient` and the functions of single
 * operations keep unused ones out of a bundle.
 */
export function createApi(options: ClientOptions): Api {
  const client = createClient(options)
  return Object.assign(client, bindAll(client, apiOperations as unknown as Tree)) as unknown as Api
}

const bindAll = (client: Client, tree: Tree): object =>
  Object.fromEntries(
    Object.entries(tree).map(([name, one]) => [
      name,
      typeof one === 'function'
        ? bindOperation(client, one as Operation<[options?: object], unknown>)
        : bindAll(client, one),
    ]),
  )
