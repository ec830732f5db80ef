import type { QueryKey } from '@tanstack/react-query'
import type { Call, Client, Given } from '../client.ts'

/** First element of every key. */
export const ROOT_KEY = 'slipway'

/** In the meta data of a query: whether the response depends on the signed-in wallet. */
export const PERSONAL = 'slipway.personal'

/** An operation of the API. */
// biome-ignore lint/suspicious/noExplicitAny: option types differ by operation, and Parameters<> infers them
export type AnyOperation = (client: Client, options?: any) => Promise<unknown>

/** Options of an operation, optional where the operation allows it. */
export type OptionsOf<Operation extends AnyOperation> =
  Parameters<Operation> extends [client: Client, ...options: infer Options] ? Options : never

/**
 * The query key of an operation: its method, its path, and its parameters. Without options it is a prefix of all keys of the
 * operation: `queryClient.invalidateQueries({ queryKey: keyOf(listTokens) })`.
 */
export function keyOf<Operation extends AnyOperation>(
  operation: Operation,
  options?: OptionsOf<Operation>[0],
): QueryKey {
  const { method, path } = describe(operation, options)
  if (typeof path !== 'string') throw new TypeError('Not an operation of the SDK: wrap none in an async function')
  const prefix = [ROOT_KEY, `${method} ${path}`]
  if (options === undefined) return prefix
  const { path: parameters = {}, query = {}, body = {} } = options as Given
  return [...prefix, toPlain({ ...parameters, ...query, ...(body as object) })]
}

export const metaOf = (operation: AnyOperation): Record<string, unknown> => ({
  [PERSONAL]: describe(operation, {}).auth === true,
})

/** An operation only describes its request to the client, so a client that returns the description reveals it. */
function describe(operation: AnyOperation, options: unknown): Call {
  const recorder = { send: (call: Call) => call } as unknown as Client
  return operation(recorder, options) as unknown as Call
}

/** Query keys are compared as JSON, which has no bigint. */
const toPlain = (values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]),
  )
