import { HttpRequestError, RpcRequestError } from 'viem'

/** A node's answer that is not one to the request: no JSON-RPC, of another request, or not of the shape that the method has. */
export class InvalidResponseError extends Error {
  override name = 'InvalidResponseError'
}

/** The nodes did not answer within the time that a request has for them. */
export class NodeTimeoutError extends Error {
  override name = 'NodeTimeoutError'
}

/** Names of errors for requests that got no answer, or none that could be read or trusted. */
const NO_RESPONSE: ReadonlySet<string> = new Set([
  'HttpRequestError',
  'TimeoutError',
  'WebSocketRequestError',
  'SocketClosedError',
  'ResponseBodyTooLargeError',
  'InvalidResponseError',
  'NodeTimeoutError',
  'UncertainLogsError',
])

/** What nodes say of a call that the EVM carried out and that failed: theirs is the right answer. */
const EXECUTION =
  /revert|out of gas|invalid opcode|InvalidFEOpcode|OpcodeNotFound|bad instruction|stack (under|over)flow|Stack(Under|Over)flow|(invalid|bad) jump|InvalidJump|OutOfGas|EVM error|write protection|StateChangeDuringStaticCall|gas uint64 overflow|return data out of bounds|code size|CreateContractSizeLimit|VM (execution error|exception)/i
const EXECUTION_CODES: ReadonlySet<number> = new Set([3, -32015])

/** Codes of nodes that are busy or limit us. QuickNode has one of its own for requests per second. */
const BUSY_CODES: ReadonlySet<number> = new Set([-32005, -32603, 429, -32007])

function causesOf(error: unknown): Error[] {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && !causes.includes(cause); cause = cause.cause) causes.push(cause)
  return causes
}

const findRpcError = (error: unknown): RpcRequestError | undefined =>
  causesOf(error).find((cause) => cause instanceof RpcRequestError)

/** What the node itself said: providers wrap their words, and viem adds its own around them. */
const messageOf = ({ details, message }: RpcRequestError): string => details || message

/** Whether the request got no answer at all, or none that could be read. */
export function hasNoResponse(error: unknown): boolean {
  return findRpcError(error) === undefined && causesOf(error).some(({ name }) => NO_RESPONSE.has(name))
}

/** Whether the node carried a call out, and the contract failed: a revert, or code that broke. */
export function isExecutionError(error: unknown): boolean {
  const refusal = findRpcError(error)
  if (!refusal || refusal.code === -32005) return false
  return EXECUTION_CODES.has(refusal.code) || EXECUTION.test(messageOf(refusal))
}

/**
 * Whether an error is a node's failing: no answer, one that cannot be read, or a JSON-RPC error that is not the outcome of
 * a contract call. Another attempt, or another node, may succeed; nothing follows from it about the chain.
 */
export function isNodeFailure(error: unknown): boolean {
  return findRpcError(error) ? !isExecutionError(error) : hasNoResponse(error)
}

/** Whether the same request is worth sending again soon: the node was not there, busy, or limits us. */
export function isTemporary(error: unknown): boolean {
  const refusal = findRpcError(error)
  if (refusal) return BUSY_CODES.has(refusal.code)
  const http = causesOf(error).find((cause) => cause instanceof HttpRequestError)
  const { status } = http ?? {}
  return hasNoResponse(error) && (status === undefined || status >= 500 || [403, 408, 413, 429].includes(status))
}

/** Milliseconds for which a node wants to be left alone; undefined if it did not say so. */
export function readRetryAfterMs(error: unknown): number | undefined {
  const http = causesOf(error).find((cause) => cause instanceof HttpRequestError)
  if (http?.status !== 429) return undefined
  const seconds = Number(http.headers?.get('retry-after') ?? Number.NaN)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 1), 60) * 1000 : 1_000
}

/** Whether the node kept us waiting, as opposed to not being there. */
export const isTimeout = (error: unknown): boolean =>
  causesOf(error).some(({ name }) => name === 'TimeoutError' || name === 'NodeTimeoutError')
