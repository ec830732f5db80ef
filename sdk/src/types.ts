import type { components, operations } from './schema.ts'
import type { Amount, Decimal, Hex, SignedAmount } from './values.ts'

/** All records of the service by name: `Schema<'Token'>`. */
export type Schemas = components['schemas'] & {
  /** @deprecated Its name is ErrorEnvelope. */
  Error: components['schemas']['ErrorEnvelope']
}
export type Schema<Name extends keyof Schemas> = Schemas[Name]

export type OperationId = keyof operations

type Given<Part> = [Exclude<Part, undefined>] extends [never] ? unknown : unknown extends Part ? unknown : Part
type Field<Name extends string, Type> =
  Given<Type> extends infer Value
    ? unknown extends Value
      ? unknown
      : undefined extends Value
        ? { [Key in Name]?: Value }
        : { [Key in Name]: Value }
    : never

/** What options accept in place of a value: any text, which the service validates, and a bigint for an amount. */
type Input<Value> = Value extends Amount | SignedAmount
  ? string | bigint
  : Value extends Hex | Decimal
    ? string
    : Value extends Blob
      ? Value
      : Value extends object
        ? { [Key in keyof Value]: Input<Value[Key]> }
        : Value

type Parameters<Id extends OperationId> = operations[Id]['parameters']
type BodyContent<Id extends OperationId> = operations[Id] extends { requestBody: { content: infer Content } }
  ? Content[keyof Content]
  : operations[Id] extends { requestBody?: { content: infer Content } }
    ? Content[keyof Content] | undefined
    : never

/** Options of every operation. */
export interface CallOptions {
  signal?: AbortSignal
  /** Additional request headers, such as `x-request-id`. */
  headers?: Record<string, string>
  /** Replaces the client's timeout for this request; 0 for none. */
  timeoutMs?: number
}

/** Options of an operation: its `path` and `query` parameters and its `body`, if any. */
export type Options<Id extends OperationId> = CallOptions &
  Field<'path', Input<Parameters<Id>['path']>> &
  Field<'query', Input<Parameters<Id>['query']>> &
  Field<'body', Input<BodyContent<Id>>>

type Content<Id extends OperationId> = operations[Id]['responses'] extends infer Responses
  ? { [Status in keyof Responses]: Responses[Status] extends { content: infer Types } ? Types : never }[keyof Responses]
  : never
type Json<Id extends OperationId> =
  Content<Id> extends infer Types ? (Types extends { 'application/json': infer Answer } ? Answer : never) : never

/** Result of an operation: `data` of its envelope. */
export type Data<Id extends OperationId> =
  Json<Id> extends infer Answer ? (Answer extends { success: true; data: infer Inner } ? Inner : never) : never

/** Result of an operation without an envelope. */
export type RawData<Id extends OperationId> = Json<Id>

/** Query parameters of an operation. */
export type Query<Id extends OperationId> =
  Options<Id> extends { query?: infer Value } ? Exclude<Value, undefined> : never
/** Fields of an operation's body. */
export type Body<Id extends OperationId> =
  Options<Id> extends { body?: infer Value } ? Exclude<Value, undefined> : never
