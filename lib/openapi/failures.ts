import type { TSchema } from '@sinclair/typebox'
import { catalogue, type ErrorCode, type ErrorData, type Reason } from '../../errors.ts'
import { ErrorEnvelope, ref } from '../../schemas/common.ts'

/** A reason with its own example data, where the catalogue's example would name an unrelated resource. */
export type Exemplified<Code extends ErrorCode = ErrorCode> = {
  readonly [Each in Code]: { readonly reason: Each; readonly data: ErrorData<Each> }
}[Code]

/** A reason of the catalogue by its name, or one of a domain. */
export type Declared = ErrorCode | Reason | Exemplified

type StatusOf<D> = D extends ErrorCode
  ? (typeof catalogue)[D]['status']
  : D extends Reason<never, infer Status>
    ? Status
    : D extends { reason: infer Code extends ErrorCode }
      ? (typeof catalogue)[Code]['status']
      : never
type FailureSchema = ReturnType<typeof ref<typeof ErrorEnvelope>>

/** Schema keyword that lists a response's reasons; removed from the published document. */
export const REASONS = 'x-reasons'

/** Description of each failure status. */
export const meanings: Record<number, string> = {
  400: 'The request is not valid.',
  401: 'The token is missing, invalid, expired or revoked.',
  403: 'The wallet is not allowed to do this.',
  404: 'The resource does not exist.',
  408: 'The request did not arrive in time.',
  409: 'The request conflicts with the current state.',
  413: 'The body is too large.',
  415: 'The content type or the encoding of the body is not supported.',
  416: 'The file does not have this range.',
  417: 'Expect asks for something other than 100-continue.',
  422: 'The transaction or the state of the chain does not allow this.',
  425: 'The transaction is not mined yet; see Retry-After.',
  429: 'Too many requests; see Retry-After.',
  500: 'Internal server error.',
  502: 'A third party failed.',
  503: 'A dependency of this operation is unavailable.',
  504: 'A third party did not answer in time.',
}

export const exemplify = <Code extends ErrorCode>(
  reason: Code,
  data: ErrorData<Code>,
): { readonly reason: Code; readonly data: ErrorData<Code> } => ({ reason, data })

/** RESOURCE_NOT_FOUND for a resource type, with the example of its id. */
export const notFound = (resource: string, id: TSchema) =>
  exemplify('RESOURCE_NOT_FOUND', { resource, id: String((id.examples as unknown[])[0]) })

/** Failure responses of an operation by status, from its own reasons. describeFailures adds the common ones. */
export function failures<const D extends readonly Declared[]>(
  ...declared: D
): Record<StatusOf<D[number]>, FailureSchema> {
  const responses: Record<number, object> = {}
  for (const [status, reasons] of groupByStatus(declared))
    responses[status] = { ...ref(ErrorEnvelope), description: meanings[status], [REASONS]: reasons }
  return responses as ReturnType<typeof failures<D>>
}

export function reasonOf(declared: Declared): Reason {
  if (typeof declared === 'string') return catalogue[declared]
  return 'status' in declared ? declared : catalogue[declared.reason]
}

/** Reasons by ascending status, without duplicates: the first declaration wins. */
export function groupByStatus(declared: readonly Declared[]): Map<number, Declared[]> {
  const byName = new Map<string, Declared>()
  for (const one of declared) if (!byName.has(reasonOf(one).name)) byName.set(reasonOf(one).name, one)
  const statusOf = (one: Declared) => reasonOf(one).status
  return Map.groupBy(
    [...byName.values()].sort((a, b) => statusOf(a) - statusOf(b)),
    statusOf,
  )
}
