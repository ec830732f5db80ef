import type { Schema } from './types.ts'

/** Why the service refused a request, or failed. A newer service may have reasons that are not listed. */
export type ErrorReason = Schema<'ErrorReason'>

export interface Failure {
  /** Of the HTTP answer. */
  status: number
  message: string
  /** Undefined when the response is not the service's own, such as that of a proxy. */
  reason?: ErrorReason | undefined
  /** Seconds until another try may succeed, where the service says so. */
  retryAfter?: number | undefined
  /** What the service's log knows the request by. */
  requestId?: string | undefined
  /** What was asked: `GET /tokens/{address}`. */
  operation: string
}

/**
 * The service answered, and not with success. What never became an answer is thrown as fetch throws it: a TypeError when
 * nobody can be reached, a DOMException named TimeoutError or AbortError.
 */
export class SlipwayError extends Error {
  readonly status: number
  readonly reason: ErrorReason | undefined
  readonly retryAfter: number | undefined
  readonly requestId: string | undefined
  readonly operation: string

  constructor({ status, message, reason, retryAfter, requestId, operation }: Failure) {
    super(message)
    this.name = 'SlipwayError'
    this.status = status
    this.reason = reason
    this.retryAfter = retryAfter
    this.requestId = requestId
    this.operation = operation
  }
}

/** The transaction was synced for this wallet before: nothing is left to do. Its status is 409. */
export class AlreadyIndexedError extends SlipwayError {
  readonly txHash: string

  constructor(txHash: string, failure: Failure) {
    super(failure)
    this.name = 'AlreadyIndexedError'
    this.txHash = txHash
  }
}
