import { HttpRequestError, RpcRequestError } from 'viem'

/** The response is not valid JSON-RPC, belongs to another request, or does not have the method's shape. */
export class InvalidResponseError extends Error {
  override name = 'InvalidResponseError'
}

/** A response that contradicts a header or another response. It is discarded, and another node is tried. */
export class ContradictionError extends Error {
  override name = 'ContradictionError'
}

/** The nodes did not respond within the request's budget. */
export class NodeTimeoutError extends Error {
  override name = 'NodeTimeoutError'
}

/** Names of errors for requests without a response, or with one that is unreadable or invalid. */
const NO_RESPONSE: ReadonlySet<string> = new Set([
  'HttpRequestError',
  'TimeoutError',
  'WebSocketRequestError',
  'SocketClosedError',
  'ResponseBodyTooLargeError',
  'InvalidResponseError',
  'NodeTimeoutError',
  'UncertainLogsError',
  'UncertainAnswerError',
  'WrongNodeError',
])

/** Messages for a call that the EVM executed and that failed: the response is valid. */
const EXECUTION =
  /revert|out of gas|invalid opcode|InvalidFEOpcode|OpcodeNotFound|bad instruction|stack (under|over)flow|Stack(Under|Over)flow|(invalid|bad) jump|InvalidJump|OutOfGas|EVM error|write protection|StateChangeDuringStaticCall|gas uint64 overflow|return data out of bounds|code size|CreateContractSizeLimit|VM (execution error|exception)/i
const EXECUTION_CODES: ReadonlySet<number> = new Set([3, -32015])

/** Internal JSON-RPC error code: a server rejected a call by an HTTP status, without a JSON-RPC error. */
export const REFUSED_BY_STATUS = -39_002
/** Internal JSON-RPC error code: a call that was asked in a batch got no valid response. Its message says what came instead. */
export const NO_VALID_RESPONSE = -39_003
const OWN_CODES: ReadonlySet<number> = new Set([REFUSED_BY_STATUS, NO_VALID_RESPONSE])

/** Codes of busy or rate-limiting nodes. -32007 is QuickNode's limit of requests per second. */
export const BUSY_CODES: ReadonlySet<number> = new Set([-32005, -32603, 429, -32007, NO_VALID_RESPONSE])

/** Whether an HTTP status says that the same request may succeed later. Other statuses of failure reject the request. */
export const isBusyStatus = (status: number): boolean =>
  [408, 425, 429].includes(status) || (status >= 500 && status !== 501)

function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && !causes.includes(cause); cause = cause.cause) causes.push(cause)
  return causes
}

const findRpcError = (error: unknown): RpcRequestError | undefined =>
  causesOf(error).find((cause) => cause instanceof RpcRequestError)

/** The node's own message: viem's `message` wraps it. */
const messageOf = ({ details, message }: RpcRequestError): string => details || message

/** Whether there was no response, or only an unreadable or invalid one. */
export function hasNoResponse(error: unknown): boolean {
  return findRpcError(error) === undefined && causesOf(error).some(({ name }) => NO_RESPONSE.has(name))
}

/** Whether the EVM executed a call and it failed: a revert, or invalid code. */
export function isExecutionError(error: unknown): boolean {
  const refusal = findRpcError(error)
  if (!refusal || refusal.code === -32005) return false
  return EXECUTION_CODES.has(refusal.code) || EXECUTION.test(messageOf(refusal))
}

/**
 * Whether a node failed: no response, an invalid one, or a JSON-RPC error that is not the outcome of a contract call. A retry
 * or another node may succeed; the error says nothing about the chain.
 */
export function isNodeFailure(error: unknown): boolean {
  return findRpcError(error) ? !isExecutionError(error) : hasNoResponse(error)
}

/** Whether a retry soon may succeed: the node was unreachable, busy or rate-limiting. */
export function isTemporary(error: unknown): boolean {
  const refusal = findRpcError(error)
  if (refusal) return BUSY_CODES.has(refusal.code)
  const http = causesOf(error).find((cause) => cause instanceof HttpRequestError)
  const { status } = http ?? {}
  return hasNoResponse(error) && (status === undefined || status >= 500 || [403, 408, 413, 429].includes(status))
}

/** Messages of nodes that do not have the block. */
export const NO_BLOCK = /(header|block) not found|unknown block|could not find block|block ?out ?of ?range/i

/** Whether the node's answer is that it has no such block. */
export function isMissingBlock(error: unknown): boolean {
  const refusal = findRpcError(error)
  return refusal !== undefined && NO_BLOCK.test(messageOf(refusal))
}

/** Message of Filecoin's nodes for a height without a block. */
export const NO_BLOCK_AT_HEIGHT = /\bnull round\b/i

/** Whether the node's answer is that the chain has no block at this height. */
export function isSkippedHeight(error: unknown): boolean {
  const refusal = findRpcError(error)
  return refusal !== undefined && NO_BLOCK_AT_HEIGHT.test(messageOf(refusal))
}

/** Whether the node rejects the request itself, and not this time only: it does not know a method or a parameter. */
export const isRejected = (error: unknown): boolean => findRpcError(error) !== undefined && !isTemporary(error)

/**
 * Whether the node refuses the call, in any form: a JSON-RPC error that is neither the outcome of a call nor temporary, or an
 * HTTP status that rejects the request.
 */
export function isRefusal(error: unknown): boolean {
  const refusal = findRpcError(error)
  if (refusal) return !isExecutionError(error) && !BUSY_CODES.has(refusal.code)
  const { status } = causesOf(error).find((cause) => cause instanceof HttpRequestError) ?? {}
  return status !== undefined && !isBusyStatus(status)
}

/** What failed, in a few public words: no URL, and no text of the node. */
export function describeFailure(error: unknown): string {
  const causes = causesOf(error)
  const refusal = findRpcError(error)
  if (refusal) return OWN_CODES.has(refusal.code) ? messageOf(refusal) : `error ${refusal.code}`
  const own = causes.find(({ name }) => name === 'WrongNodeError')
  if (own) return own.message
  const { status } = causes.find((cause) => cause instanceof HttpRequestError) ?? {}
  if (status !== undefined) return `HTTP ${status}`
  if (isTimeout(error)) return 'no response in time'
  if (causes.some((cause) => cause instanceof ContradictionError)) return 'contradictory responses'
  if (causes.some(({ name }) => name === 'UnknownBlockError')) return 'no such block'
  return causes.some((cause) => cause instanceof InvalidResponseError || cause instanceof SyntaxError)
    ? 'an invalid response'
    : 'no response'
}

/** Cooldown after a 429 in milliseconds, from Retry-After (1 to 60 s), else 1 s; undefined for other errors. */
export function readRetryAfterMs(error: unknown): number | undefined {
  const http = causesOf(error).find((cause) => cause instanceof HttpRequestError)
  if (http?.status !== 429) return undefined
  const seconds = Number(http.headers?.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), 60) * 1000 : 1_000
}

/** Whether the node did not respond in time, as opposed to being unreachable. */
export const isTimeout = (error: unknown): boolean =>
  causesOf(error).some(({ name }) => name === 'TimeoutError' || name === 'NodeTimeoutError')
