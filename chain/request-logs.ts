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

async function readBody(response: Response, onProgress: () => void): Promise<PackedLogs | string> {
  if (!response.ok || !response.body) return response.text()
  const reader = new LogReader()
  for await (const chunk of response.body) {
    onProgress()
    reader.push(chunk)
  }
  return reader.finish()
}
