import { describeFailure } from './describe-failure.ts'
import { isUnreachable, NotMinedError, NotSyncedError, SlipwayError } from './errors.ts'
import { describeRevert } from './transactions/describe-revert.ts'

/** Codes of EIP-1193 and of libraries. Some errors have a text instead of a number. */
const REJECTED: readonly unknown[] = [4001, 'ACTION_REJECTED']
const DISCONNECTED = [4900, 4901]
const WALLET_BUSY = -32002
const WRONG_CHAIN = 4902
const UNSUPPORTED = [4200, -32601]
const MAX_DEPTH = 10

/** Whether the user declined a request of the wallet: a signature, a transaction or a connection. */
export function isRejectedByUser(error: unknown): boolean {
  return chainOf(error).some(({ code, name }) => REJECTED.includes(code) || name === 'UserRejectedRequestError')
}

/**
 * A sentence for people that says what went wrong: in the service, the contract, the wallet or the network. It never repeats the
 * API's wording, which names fields and bounds.
 */
export function toUserMessage(error: unknown): string {
  if (error instanceof NotSyncedError || error instanceof NotMinedError) return error.message
  const revert = describeRevert(error)
  if (revert) return revert.message
  if (isRejectedByUser(error)) return 'The request was declined in the wallet.'
  if (error instanceof SlipwayError) {
    const text = describeFailure(error)
    return error.retryAfter === undefined ? text : `${text} Try again in ${Math.ceil(error.retryAfter)} s.`
  }
  const errors = chainOf(error)
  const texts = errors.map(({ message }) => String(message ?? ''))
  const has = (...codes: unknown[]) => errors.some(({ code }) => codes.includes(code))
  if (has(WRONG_CHAIN)) return 'The wallet does not know the chain of this service.'
  if (errors.some(({ name }) => /ChainMismatch/.test(String(name))))
    return 'The wallet is on another chain. Change to the chain of this service in it.'
  if (has(...UNSUPPORTED)) return 'The wallet does not support this.'
  if (has(WALLET_BUSY)) return 'The wallet is waiting for an answer already. Open it.'
  if (has(...DISCONNECTED)) return 'The wallet is not connected to the chain.'
  if (has('INSUFFICIENT_FUNDS') || texts.some((text) => /insufficient funds/i.test(text)))
    return 'The wallet has too little native coin for the amount and the gas.'
  if (errors.some(({ name }) => name === 'TimeoutError')) return 'The service did not respond in time.'
  if (errors.some(({ name }) => name === 'AbortError')) return 'The request was cancelled.'
  if (isUnreachable(error)) return isOffline() ? 'The browser is offline.' : 'The service is unreachable.'
  // Libraries add the request and the version below the first line.
  const [text = ''] = (texts[0] ?? '').split('\n')
  return text || 'An unknown error occurred.'
}

/** @deprecated The former name of toUserMessage. */
export const describeError = (error: unknown): string => toUserMessage(error)

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

/** Whether this is a browser without a connection. */
const isOffline = (): boolean => (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false
