import { LogReader, type PackedLogs } from './log-reader.ts'

/** An HTTP request with the options that viem uses. */
export interface LogRequest {
  url: string
  method: string
  headers: Record<string, string>
  body: string
  /** Maximum pause between chunks of the response body. */
  stallMs: number
}

export interface LogResponse {
  status: number
  headers: [string, string][]
  /** The logs, or the response text if it has no logs array. */
  body: Promise<PackedLogs | string>
}

/** Resolves when the response headers arrive. */
export type RequestLogs = (asked: LogRequest, signal: AbortSignal | null) => Promise<LogResponse>

/** Requests logs and parses the response as it arrives. Rejects the body if it stalls. */
export const requestLogs: RequestLogs = async ({ url, stallMs, ...asked }, signal) => {
  const stallAbort = new AbortController()
  const combined = signal ? AbortSignal.any([signal, stallAbort.signal]) : stallAbort.signal
  const response = await fetch(url, { ...asked, signal: combined })
  const stall = setTimeout(() => stallAbort.abort(new Error('The response body stalled')), stallMs)
  const body = readBody(response, () => stall.refresh()).finally(() => clearTimeout(stall))
  // The caller may have abandoned the response before its body fails.
  body.catch(() => {})
  return { status: response.status, headers: [...response.headers], body }
}

/** Bytes of the next response's records: the ranges of a backfill have about as many logs, so those of the last one, and a margin. */
let expectedBytes = 0
const MARGIN = 1.25
const MAX_EXPECTED = 32 * 1024 * 1024

async function readBody(response: Response, onProgress: () => void): Promise<PackedLogs | string> {
  if (!response.ok || !response.body) return response.text()
  const reader = new LogReader(expectedBytes)
  for await (const chunk of response.body) {
    onProgress()
    reader.push(chunk)
  }
  const found = reader.finish()
  if (typeof found !== 'string') expectedBytes = Math.min(Math.ceil(found.bytes.length * MARGIN), MAX_EXPECTED)
  return found
}
