import type { components, operations } from './schema.ts'

/** Every record of the service by its name: `Schema<'Token'>`. */
export type Schemas = components['schemas']
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

type Parameters<Id extends OperationId> = operations[Id]['parameters']
type Body<Id extends OperationId> = operations[Id] extends { requestBody: { content: infer Content } }
  ? Content[keyof Content]
  : operations[Id] extends { requestBody?: { content: infer Content } }
    ? Content[keyof Content] | undefined
    : never

/** What any operation takes besides its parameters. */
export interface CallOptions {
  signal?: AbortSignal
  /** Sent besides those of the client, as `x-request-id`. */
  headers?: Record<string, string>
}

/** What an operation takes: `path` and `query` parameters and a `body`, as far as it has them. */
export type Options<Id extends OperationId> = CallOptions &
  Field<'path', Parameters<Id>['path']> &
  Field<'query', Parameters<Id>['query']> &
  Field<'body', Body<Id>>

type Content<Id extends OperationId> = operations[Id]['responses'] extends infer Responses
  ? { [Status in keyof Responses]: Responses[Status] extends { content: infer Types } ? Types : never }[keyof Responses]
  : never
type Json<Id extends OperationId> =
  Content<Id> extends infer Types ? (Types extends { 'application/json': infer Answer } ? Answer : never) : never

/** What an operation answers: `data` of its envelope. */
export type Data<Id extends OperationId> =
  Json<Id> extends infer Answer ? (Answer extends { success: true; data: infer Inner } ? Inner : never) : never

/** What an operation without an envelope answers. */
export type RawData<Id extends OperationId> = Json<Id>
