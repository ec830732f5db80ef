import { LogReader, type PackedLogs } from './log-reader.ts'

/** A request over HTTP, as far as viem makes use of it. */
export interface Asked {
  url: string
  method: string
  headers: Record<string, string>
  body: string
}

export interface Answered {
  status: number
  headers: [string, string][]
  /** The logs; or its text, if it holds none. */
  body: Promise<PackedLogs | string>
}

/** Settles when the answer begins. */
export type AskForLogs = (asked: Asked, signal: AbortSignal | null) => Promise<Answered>

/** Asks a node, and reads the logs out of its answer while it comes in. */
export const askForLogs: AskForLogs = async ({ url, ...asked }, signal) => {
  const response = await fetch(url, { ...asked, signal })
  return { status: response.status, headers: [...response.headers], body: readBody(response) }
}

async function readBody(response: Response): Promise<PackedLogs | string> {
  if (!response.ok || !response.body) return response.text()
  const reader = new LogReader()
  for await (const chunk of response.body) reader.push(chunk)
  return reader.finish()
}
