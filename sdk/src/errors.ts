import type { Schema } from './types.ts'

/** Reason of an error response. A newer service may send reasons that are not listed. */
export type ErrorReason = Schema<'ErrorReason'>

export interface Failure {
  /** HTTP status. */
  status: number
  message: string
  /** Undefined if the response is not the service's own, such as that of a proxy. */
  reason?: ErrorReason | undefined
  /** Seconds until a retry may succeed, if the service sent Retry-After. */
  retryAfter?: number | undefined
  /** Request id in the service's log. */
  requestId?: string | undefined
  /** Method and path template: `GET /tokens/{address}`. */
  operation: string
}

/**
 * The service returned an error response. Without a response, fetch's own error is thrown: a TypeError if the service is
 * unreachable, a DOMException named TimeoutError or AbortError.
 */
export class SlipwayError extends Error {
  readonly status: number
  readonly reason: ErrorReason | undefined
  readonly retryAfter: number | undefined
  readonly requestId: string | undefined
  readonly operation: string
  /** Of the transaction that was sent before, if there is one: it may have succeeded. */
  readonly txHash?: string | undefined

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

/** Whether the service failed for one of these reasons: `if (hasReason(error, 'TOKEN_NOT_FOUND')) …`. */
export const hasReason = <Reason extends ErrorReason>(
  error: unknown,
  ...reasons: Reason[]
): error is SlipwayError & { readonly reason: Reason } =>
  error instanceof SlipwayError && (reasons as unknown[]).includes(error.reason)

/**
 * Whether the same request may succeed later: the service is busy, failing or unreachable, did not respond in time, or something
 * else has responded in its place, such as the maintenance page of a proxy.
 */
export const isTransient = (error: unknown): boolean =>
  error instanceof SlipwayError
    ? error.status === 429 || error.status >= 500 || error.status < 400
    : isUnreachable(error) || (error instanceof DOMException && error.name === 'TimeoutError')

/** Whether fetch got no response. Its error is a TypeError, as that of a wrong URL is; each browser has its own words. */
export const isUnreachable = (error: unknown): boolean =>
  error instanceof TypeError && /failed to fetch|fetch failed|network|load failed/i.test(error.message)

/**
 * The transaction was sent, but the service has not returned its records. Do not send it again: once it is mined, the service
 * indexes it without the client. `cause` is the last error.
 */
export class NotSyncedError extends Error {
  readonly txHash: string

  constructor(txHash: string, cause: unknown) {
    super(`The service has not indexed the transaction ${txHash} yet. Do not send it again: it will appear.`, { cause })
    this.name = 'NotSyncedError'
    this.txHash = txHash
  }
}

/**
 * The transaction was sent, but its receipt was not read in time: it may still be mined, also after it was replaced in the wallet.
 * Look it up before you send it again. `cause` is the last error, if there was one.
 */
export class NotMinedError extends Error {
  readonly txHash: string
  /** Whether it is the approval that a flow sends before its transaction, which was not sent. */
  readonly isApproval: boolean

  constructor(txHash: string, cause?: unknown, { isApproval = false }: { isApproval?: boolean } = {}) {
    super(
      `The transaction ${txHash} was sent and may still be mined. Do not send it again before you have looked it up.`,
      {
        cause,
      },
    )
    this.name = 'NotMinedError'
    this.txHash = txHash
    this.isApproval = isApproval
  }
}

/**
 * The price has moved beyond the minimum that the user has seen: `amountOut` is what the trade would yield now. Nothing was sent.
 * Both are in base units.
 */
export class PriceChangedError extends Error {
  readonly amountOut: bigint
  readonly minimumOut: bigint

  constructor(amountOut: bigint, minimumOut: bigint) {
    super('The price has changed: the trade would yield less than the minimum that was shown. Nothing was sent.')
    this.name = 'PriceChangedError'
    this.amountOut = amountOut
    this.minimumOut = minimumOut
  }
}

/** The transaction was already synced for this wallet; nothing is left to do. Status 409. */
export class AlreadyIndexedError extends SlipwayError {
  declare readonly txHash: string

  constructor(txHash: string, failure: Failure) {
    super(failure)
    this.name = 'AlreadyIndexedError'
    this.txHash = txHash
  }
}
