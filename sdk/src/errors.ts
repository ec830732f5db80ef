export interface Failure {
  /** Of the HTTP answer. */
  status: number
  message: string
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
  readonly retryAfter: number | undefined
  readonly requestId: string | undefined
  readonly operation: string

  constructor({ status, message, retryAfter, requestId, operation }: Failure) {
    super(message)
    this.name = 'SlipwayError'
    this.status = status
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
