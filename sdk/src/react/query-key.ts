import type { QueryKey } from '@tanstack/react-query'
import type { Client } from '../client.ts'
import { describeOperation } from '../operation.ts'

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

/** What `keyOf` takes beside operations: one with flat arguments, such as `api.tokens.list`. */
export interface FlatOperation {
  readonly operation: AnyOperation
}

/**
 * The query key of an operation: its method, its path, and its parameters. Without options it is a prefix of all keys of the
 * operation: `queryClient.invalidateQueries({ queryKey: keyOf(api.tokens.list) })`. That of one call is
 * `keyOf(api.tokens.get.with(address))`, or `keyOf(getToken, { path: { address } })`.
 */
export function keyOf(operation: FlatOperation): QueryKey
export function keyOf<Operation extends AnyOperation>(operation: Operation, options?: OptionsOf<Operation>[0]): QueryKey
export function keyOf(operation: AnyOperation | FlatOperation, options?: unknown): QueryKey {
  const isPrefix = 'operation' in operation || (options === undefined && !('prepared' in operation))
  const described = describeOperation('operation' in operation ? operation.operation : operation, options)
  const { method, path } = described.call ?? {}
  if (typeof path !== 'string') throw new TypeError('Not an operation of the SDK: wrap none in an async function')
  const prefix = [ROOT_KEY, `${method} ${path}`]
  if (isPrefix) return prefix
  const { path: parameters = {}, query = {}, body = {} } = described.given
  return [...prefix, toPlain({ ...parameters, ...query, ...(body as object) })]
}

export const metaOf = (operation: AnyOperation): Record<string, unknown> => ({
  [PERSONAL]: describeOperation(operation, {}).call?.auth === true,
})

/** Query keys are compared as JSON, which has no bigint. */
const toPlain = (values: object): object =>
  Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'bigint' ? value.toString() : value]),
  )
