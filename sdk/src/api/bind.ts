import type { Call, Client, Given } from '../client.ts'
import { iterate, type ListOperation, type Page } from '../iterate.ts'
import { describeOperation, type Operation } from '../operation.ts'
import type { CallOptions } from '../types.ts'

/**
 * An operation with flat arguments: the parameters of its path in order, then one object with its query parameters or the fields
 * of its body, then the options of the request.
 */
export interface Method<Args extends unknown[], Answer> {
  (...args: [...Args, options?: CallOptions]): Promise<Answer>
  /** The same call, not sent: for hooks, `keyOf`, `iterate`, `sync` and `transact`. A flow adds the hash of the transaction. */
  with(...args: WithoutHash<Args>): PreparedCall<Answer>
  readonly operation: Operation<[options?: object], Answer>
}

/** A list, which `all` iterates over, page by page. */
export interface ListMethod<Args extends unknown[], Answer extends Page> extends Method<Args, Answer> {
  all(...args: [...Args, options?: CallOptions]): AsyncGenerator<Answer['items'][number], void, undefined>
}

/** A call with its arguments. Called with a client, it sends the request with what is added in `options`. */
export interface PreparedCall<Answer> {
  // biome-ignore lint/suspicious/noExplicitAny: what may be added differs by operation
  (client: Client, options?: any): Promise<Answer>
  readonly prepared: Given
}

/** Receipt syncs take the hash from the flow. */
type WithoutHash<Args extends unknown[]> = Args extends [...infer Path, infer Last]
  ? Last extends { txHash: string }
    ? [...Path, fields?: Omit<Last, 'txHash'>]
    : Args
  : Args

/** Flat arguments as the options of the operation. */
function toOptions({ path, query, body }: Call, args: readonly unknown[]): Given {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name as string)
  const parameters = Object.fromEntries(names.map((name, index) => [name, args[index]]))
  const rest = args.slice(names.length)
  const fields = query || body ? rest.shift() : undefined
  return {
    ...(rest[0] as CallOptions | undefined),
    path: parameters,
    ...(fields !== undefined && { [query ? 'query' : 'body']: fields }),
  }
}

type AnyRawOperation = Operation<[options?: object], unknown>

/** The operation with flat arguments, sent by `client`. */
export function bindOperation(client: Client, operation: AnyRawOperation): ListMethod<unknown[], Page> {
  const { call } = describeOperation(operation)
  const prepare = (given: Given) =>
    Object.assign((sender: Client, options?: Given) => operation(sender, merge(given, options)), { prepared: given })
  const method = (...args: unknown[]) => client.send(call, toOptions(call, args))
  const own = {
    operation,
    with: (...args: unknown[]) => prepare(toOptions(call, args)),
    all: (...args: unknown[]) => iterate(client, prepare(toOptions(call, args)) as ListOperation, {}),
  }
  return Object.assign(method, own) as unknown as ListMethod<unknown[], Page>
}

/** `options` with the path, and with its query and body added to those that were prepared. */
function merge(given: Given, options: Given = {}): Given {
  const merged = { ...given, ...options }
  for (const part of ['path', 'query', 'body'] as const) {
    const [own, added] = [given[part], options[part]]
    if (own && added) merged[part] = { ...own, ...added }
    else if (own) merged[part] = own
  }
  return merged
}
