import { describeFailure } from './describe-failure.ts'
import { isUnreachable, NotSyncedError, SlipwayError } from './errors.ts'
import { describeRevert } from './transactions/describe-revert.ts'

/** Error codes of EIP-1193 and of JSON-RPC nodes. */
const USER_REJECTED = 4001
const WRONG_CHAIN = 4902
const MAX_DEPTH = 10

/** Whether the user declined a request of the wallet: a signature, a transaction or a connection. */
export function isRejectedByUser(error: unknown): boolean {
  return chainOf(error).some(({ code, name }) => code === USER_REJECTED || name === 'UserRejectedRequestError')
}

/** A sentence for users that says what went wrong: in the service, the contract, the wallet or the network. */
export function describeError(error: unknown): string {
  if (error instanceof NotSyncedError) return error.message
  const revert = describeRevert(error)
  if (revert) return revert.message
  if (isRejectedByUser(error)) return 'The request was declined in the wallet.'
  if (error instanceof SlipwayError) {
    const text = describeFailure(error)
    return error.retryAfter === undefined ? text : `${text} Try again in ${Math.ceil(error.retryAfter)} s.`
  }
  const errors = chainOf(error)
  const texts = errors.map(({ message }) => String(message ?? ''))
  if (errors.some(({ code }) => code === WRONG_CHAIN)) return 'The wallet does not know the chain of this service.'
  if (texts.some((text) => /insufficient funds/i.test(text)))
    return 'The wallet has too little native coin for the amount and the gas.'
  if (errors.some(({ name }) => name === 'TimeoutError')) return 'The service did not respond in time.'
  if (errors.some(({ name }) => name === 'AbortError')) return 'The request was cancelled.'
  if (isUnreachable(error)) return 'The service is unreachable.'
  const [text] = texts
  return text || 'An unknown error occurred.'
}

interface ErrorLike {
  name?: unknown
  code?: unknown
  message?: unknown
  cause?: unknown
}

/** An error and its causes. */
function chainOf(error: unknown): ErrorLike[] {
  const chain: ErrorLike[] = []
  let current = error
  while (typeof current === 'object' && current !== null && chain.length < MAX_DEPTH) {
    chain.push(current)
    current = (current as ErrorLike).cause
  }
  return chain
}
