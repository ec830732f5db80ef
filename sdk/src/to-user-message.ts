import { describeFailure } from './describe-failure.ts'
import { isUnreachable, NotMinedError, NotSyncedError, SlipwayError } from './errors.ts'
import { describeRevert, NESTED } from './transactions/describe-revert.ts'

const MAX_ERRORS = 10

/** Matches what readErrors returns, as the patterns below do. Codes are those of EIP-1193, WalletConnect and ethers. */
const REJECTED =
  /^UserRejectedRequestError|#(4001|5000|ACTION_REJECTED)\b|user (rejected|denied)|(rejected|denied) by the user/im

/** Sentences for errors of wallets and nodes: the first that matches holds. Texts come first, since most share a code. */
const sentences: readonly (readonly [RegExp, string])[] = [
  [/#4902\b/, 'The wallet does not know the chain of this service.'],
  [/already (known|imported)/i, 'The same transaction was sent before. Look it up in the wallet.'],
  [/replacement|to replace/i, 'The wallet still waits for another transaction. Try again after that.'],
  [/nonce (too low|has already)/i, 'Another transaction of this wallet came first. This one was not sent: try again.'],
  [/nonce too high/i, 'The wallet has lost count. Clear its activity data, and try again.'],
  [
    /insufficient[ _](funds|balance)|exceeds (transaction sender|allowance)|enough funds/i,
    'The wallet has too little native coin for the amount and the gas.',
  ],
  [/ChainMismatch|invalid chain/i, 'The wallet is on another chain. Change to the chain of this service in it.'],
  [/underpriced|less than block base|fee too low|gas too low/i, 'The network fee is too low. Try again.'],
  [/execution reverted/i, 'The contract rejects this transaction now.'],
  [/#(4200|-32601)\b/, 'The wallet does not support this.'],
  [/#-32002\b/, 'The wallet is waiting for an answer already. Open it.'],
  [/#4(100|90[01])\b|ConnectorNotConnected/, 'The wallet is not connected.'],
  [/^TimeoutError/m, 'The service did not respond in time.'],
  [/^AbortError/m, 'The request was cancelled.'],
  [/#-32(603|00[05])\b|^(UnknownRpc|HttpRequest)Error/m, 'The wallet or its node has failed. Try again in a moment.'],
]

/** Whether the user declined a request of the wallet: a signature, a transaction or a connection. */
export const isRejectedByUser = (error: unknown): boolean => REJECTED.test(readErrors(error))

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
  if (isUnreachable(error)) return isOffline() ? 'The browser is offline.' : 'The service is unreachable.'
  const text = readErrors(error)
  const known = sentences.find(([pattern]) => pattern.test(text))
  if (known) return known[1]
  // Libraries add the request and the version below the first line.
  const { message = '' } = Object(error) as { message?: unknown }
  return String(message).split('\n')[0] || 'An unknown error occurred.'
}

/** @deprecated The former name of toUserMessage. */
export const describeError = (error: unknown): string => toUserMessage(error)

/** Names, codes and messages of an error and of those that it nests, outermost first: a line begins with a name. */
function readErrors(error: unknown): string {
  const errors = [Object(error) as Record<string, unknown>]
  for (const one of errors)
    for (const key of NESTED)
      if (Object(one[key]) === one[key] && errors.length < MAX_ERRORS) errors.push(one[key] as typeof one)
  return errors.map(({ name, code, message }) => `${name} #${code} ${message}`).join('\n')
}

/** Whether this is a browser without a connection. */
const isOffline = (): boolean => (globalThis as { navigator?: { onLine?: boolean } }).navigator?.onLine === false
