/** One request, as data: it can be repeated, and printed. */
export interface Request {
  method: string
  url: string
  headers: Record<string, string>
  body?: string | Uint8Array
}

export interface Response {
  /** 0 where the connection ended without an answer. */
  status: number
  headers: Headers
  /** Null where the answer is not JSON. */
  json: unknown
  text: string
  bytes: Uint8Array
}

const NOTHING = new Uint8Array()

export async function send({ method, url, headers, body }: Request): Promise<Response> {
  const response = await fetch(url, {
    method,
    headers,
    redirect: 'manual',
    signal: AbortSignal.timeout(60_000),
    ...(body !== undefined && { body: body as string }),
  }).catch((error: Error) => error)
  if (response instanceof Error)
    return { status: 0, headers: new Headers(), json: null, text: String(response.cause ?? response), bytes: NOTHING }
  const bytes = new Uint8Array(await response.arrayBuffer())
  const text = new TextDecoder().decode(bytes)
  let json: unknown = null
  try {
    json = text === '' ? null : JSON.parse(text)
  } catch {}
  return { status: response.status, headers: response.headers, json, text, bytes }
}

const quote = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The request as a command for a shell. Bytes come as base64. */
export function toCurl({ method, url, headers, body }: Request): string {
  const parts = ['curl', '-i', '-X', method, quote(url)]
  for (const [name, value] of Object.entries(headers)) parts.push('-H', quote(`${name}: ${value}`))
  if (typeof body === 'string') parts.push('--data-raw', quote(body))
  const command = parts.join(' ')
  return body instanceof Uint8Array
    ? `echo ${Buffer.from(body).toString('base64')} | base64 -d | ${command} --data-binary @-`
    : command
}
