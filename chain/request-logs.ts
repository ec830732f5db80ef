import { LogReader, type PackedLogs } from './log-reader.ts'

/** A request over HTTP, as far as viem makes use of it. */
export interface LogRequest {
  url: string
  method: string
  headers: Record<string, string>
  body: string
  /** How long the answer may pause once it has begun. */
  stallMs: number
}

export interface LogResponse {
  status: number
  headers: [string, string][]
  /** The logs; or its text, if it holds none. */
  body: Promise<PackedLogs | string>
}

/** Settles when the answer begins. */
export type RequestLogs = (asked: LogRequest, signal: AbortSignal | null) => Promise<LogResponse>

/** Asks a node, and reads the logs out of its answer while it comes in. An answer that stops coming fails. */
export const requestLogs: RequestLogs = async ({ url, stallMs, ...asked }, signal) => {
  const stallAbort = new AbortController()
  const combined = signal ? AbortSignal.any([signal, stallAbort.signal]) : stallAbort.signal
  const response = await fetch(url, { ...asked, signal: combined })
  const stall = setTimeout(() => stallAbort.abort(new Error('The answer stopped amid its body')), stallMs)
  const body = readBody(response, () => stall.refresh()).finally(() => clearTimeout(stall))
  // Whoever gave up on the answer does not wait for its body.
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
