/** Messages between the page and the worker that keeps the sign-in token. */

export interface RequestMessage {
  type: 'request'
  id: number
  url: string
  method: string
  headers: [string, string][]
  /** A form is sent as its entries: FormData cannot be copied to a worker. */
  body: string | { form: [string, string | Blob][] } | null
}

export type ToVault =
  | RequestMessage
  | { type: 'abort'; id: number }
  | { type: 'socket-open'; id: number; url: string }
  | { type: 'socket-send'; id: number; text: string }
  | { type: 'socket-close'; id: number; code: number | undefined }

export type FromVault =
  | {
      type: 'response'
      id: number
      status: number
      statusText: string
      headers: [string, string][]
      body: ArrayBuffer
    }
  | { type: 'failure'; id: number; name: string; message: string }
  | { type: 'socket-event'; id: number; event: 'open' | 'message' | 'close' | 'error'; data: string }

/** Whether the response of this path contains a token. */
export const isTokenPath = (pathname: string): boolean => /\/auth\/(login|refresh)$/.test(pathname)

const PLACEHOLDER = '.kept-by-the-worker'

/** The token without its signature: it says who is signed in until when, and is worth nothing to the API. */
export const maskToken = (token: string): string => `${token.slice(0, token.lastIndexOf('.'))}${PLACEHOLDER}`

export const isMasked = (token: string | undefined): token is string => token?.endsWith(PLACEHOLDER) === true
