import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { type AppError, REASON_HEADER } from '../../errors.ts'

/** The error envelope as JSON. */
export const envelope = (error: string): string => JSON.stringify({ success: false, data: null, error })

/** Writes an error response to a raw socket and closes it. */
export function endWithError(
  socket: Duplex,
  { reason, status, message }: AppError,
  headers: readonly string[] = [],
): void {
  const body = envelope(message)
  socket.end(
    [
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
      `Date: ${new Date().toUTCString()}`,
      'Content-Type: application/json; charset=utf-8',
      `Content-Length: ${Buffer.byteLength(body)}`,
      `X-Request-Id: ${randomUUID()}`,
      `${REASON_HEADER}: ${reason}`,
      'Cache-Control: no-store',
      'Connection: close',
      ...headers,
      '',
      body,
    ].join('\r\n'),
  )
}
