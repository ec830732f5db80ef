import { type ErrorReason, hasReason, type SlipwayError } from './errors.ts'
import { labels } from './field-labels.ts'

/** Reasons whose messages the service writes for the people who act, not for those who write clients. */
const READABLE: ReadonlySet<ErrorReason | undefined> = new Set([
  'ALREADY_EXISTS',
  'FOLLOW_LIMIT',
  'IMAGE_TOO_LARGE',
  'NOT_OWNER',
  'SELF_FOLLOW',
  'TOKEN_NOT_TRADABLE',
  'UNTRADABLE',
  'USERNAME_TAKEN',
  'WALLET_BANNED',
  'WRONG_STATE',
] as const)

const signInAgain = 'You are signed out. Sign in again with your wallet.'
const busy = 'The service has a problem at the moment. Try again in a moment.'

const sentences: Partial<Record<ErrorReason, string>> = {
  BODY_TOO_LARGE: 'This is too large to be sent.',
  FINALITY_BROKEN: 'The service has stopped writing after a deep reorganization of the chain. Its operator has to act.',
  JWT_INVALID: signInAgain,
  JWT_MISSING: signInAgain,
  MESSAGE_MISMATCH: signInAgain,
  NODE_UNAVAILABLE: 'The service cannot reach the chain at the moment.',
  NONCE_USED: 'The sign-in took too long. Try it again.',
  NOT_ADMIN: 'This wallet is no operator.',
  NOT_LABS: 'This wallet may not feature anything.',
  ORIGIN_REFUSED: 'This page may not use the service.',
  OVERLOADED: 'The service is overloaded.',
  RATE_LIMITED: 'Too many requests.',
  SIGNATURE_INVALID: 'The signature does not belong to this wallet.',
  TOKEN_NOT_FOUND: 'No token with this address was launched here.',
  TRANSACTION_ALREADY_INDEXED: 'This transaction was recorded before.',
  TRANSACTION_FOREIGN: 'This transaction is of another wallet.',
  TRANSACTION_NOT_FOUND: 'The chain does not know this transaction.',
  TRANSACTION_PENDING: 'The transaction is not in a block yet.',
  TRANSACTION_REVERTED: 'The transaction failed on the chain.',
  UNSTORABLE_TEXT: 'The text contains a character that cannot be stored.',
  UNSUPPORTED_MEDIA_TYPE: 'Files of this kind are not accepted.',
}

const byStatus: Readonly<Record<number, string>> = {
  400: 'The service does not accept this input.',
  401: signInAgain,
  403: 'This wallet may not do this.',
  404: 'It does not exist, or no more.',
  408: 'The request took too long. Try again.',
  409: 'This is not possible now: something has changed meanwhile. Load the page again.',
  413: 'This is too large to be sent.',
  422: 'The transaction is not of the expected kind.',
  425: 'The transaction is not in a block yet.',
  429: 'Too many requests.',
}

/** A problem in plain words: no values, types, patterns or paths. */
const PLAIN = /^(is|are|has|must) [a-z0-9 ,'’-]+$/i
const TECHNICAL = /\b(string|integer|object|array|null|field|pattern|unicode|nul)\b/i

const INPUT = /^(?:body|query|path)\.([\w.]+) (.+)$/s

/** What is wrong with a value, as the end of a sentence; undefined if people would not understand the API's wording. */
function describeProblem(problem: string): string | undefined {
  const plain = problem
    .replace('must be <= ', 'must be at most ')
    .replace('must be >= ', 'must be at least ')
    .replace('must be an integer', 'must be a whole number')
    .replace(/^must not be above query\.max\S+$/, 'must not be above the maximum')
  return PLAIN.test(plain) && !TECHNICAL.test(plain) ? plain : undefined
}

/** `body.username is reserved` as `The username is reserved.` */
function describeInput(message: string): string | undefined {
  const [, path = '', problem = ''] = INPUT.exec(message) ?? []
  const label = labels[path.split('.').at(-1) ?? '']
  if (label === undefined) return undefined
  if (problem === 'is required') return `${label} is missing.`
  return `${label} ${describeProblem(problem) ?? 'is not accepted'}.`
}

/**
 * The field of a request that the service did not accept, and why: to be shown at its input. `minHolders` with `Must be at least 0.`;
 * undefined for any other error.
 */
export function readFieldProblem(error: unknown): { field: string; problem: string } | undefined {
  if (!hasReason(error, 'INVALID_INPUT')) return undefined
  const [, field, problem = ''] = INPUT.exec(error.message) ?? []
  if (field === undefined) return undefined
  const text = describeProblem(problem) ?? 'is not accepted'
  return { field, problem: `${text[0]?.toUpperCase()}${text.slice(1)}.` }
}

/** What an error response means to the people who act. Never the API's own wording, which names fields and bounds. */
export function describeFailure({ status, reason, message }: SlipwayError): string {
  if (READABLE.has(reason)) return endSentence(message)
  const input = reason === 'INVALID_INPUT' ? describeInput(message) : undefined
  const isBusy = status >= 500 || status < 400
  return input ?? (reason && sentences[reason]) ?? byStatus[status] ?? (isBusy ? busy : 'This is not possible.')
}

const endSentence = (text: string) => (/[.!?]$/.test(text) ? text : `${text}.`)
