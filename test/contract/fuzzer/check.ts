import type { Response } from './client.ts'
import type { Answer, Operation } from './document.ts'

/** What the document, and HTTP, have against an answer to a request of that method. Empty if nothing. */
export function findFaults(operation: Operation, method: string, response: Response): string[] {
  const { status, headers, json, text } = response
  const faults: string[] = []
  const { responses } = operation
  if (status === 0) return [`no answer: ${text}`]
  if (!headers.get('x-request-id')) faults.push('no x-request-id')
  if ([425, 429, 503].includes(status) && !/^[1-9]\d*$/.test(headers.get('retry-after') ?? ''))
    faults.push(`${status} without a Retry-After`)
  if (status === 401 && !headers.get('www-authenticate')) faults.push('401 without WWW-Authenticate')
  if (status === 500) return [...faults, '500: an internal error']
  // The one third party behind a 503 is the node; all else is the service's own.
  if (status === 503 && !/chain node/.test(text)) faults.push(`503 of its own making: ${text.slice(0, 200)}`)
  const declared = responses.get(status)
  if (!declared) return [...faults, `status ${status} is not declared: ${text.slice(0, 200)}`]
  const { contents } = declared
  faults.push(...findHeaderFaults(declared, response))

  const type = headers.get('content-type')?.split(';', 1)[0]
  if (contents.size === 0) {
    if (text !== '') faults.push(`${status} is declared without a body, and has one`)
    return faults
  }
  const validate = contents.get(type ?? '')
  if (validate === undefined) faults.push(`content type ${type} is not declared for ${status}`)
  else if (method === 'HEAD') {
    if (text !== '') faults.push(`HEAD has a body: ${text.slice(0, 200)}`)
  } else if (status !== 206 && validate && !validate(json)) {
    // A part of JSON is no JSON.
    const [error] = validate.errors ?? []
    faults.push(`the body of ${status} is not as declared: ${error?.instancePath} ${error?.message}`)
  }
  if (status >= 400 && type === 'application/json' && leaks.test(text))
    faults.push(`${status} leaks: ${text.slice(0, 200)}`)
  return faults
}

/** Headers that are declared and missing, or not as declared. */
function findHeaderFaults({ headers: declared }: Answer, { status, headers }: Response): string[] {
  return declared.flatMap(({ name, required, isInteger, validate }) => {
    const text = headers.get(name)
    if (text === null) return required ? [`${status} without ${name}`] : []
    return validate(isInteger ? Number(text) : text) ? [] : [`${name} of ${status} is not as declared: ${text}`]
  })
}

/** Signs of a library, a query or a place in the file system in the sentence of a failure. */
const leaks = /node_modules|\.ts:\d|\bselect .* from\b|\bat \w+ \(|ECONNREFUSED|127\.0\.0\.1/i

/** What 405 must be: the envelope, and an Allow header that names exactly the methods of the document. */
export function findMethodFaults(methods: ReadonlySet<string>, method: string, response: Response): string[] {
  const { status, headers, json } = response
  if (status !== 405) return [`an unsupported method answers ${status}, not 405`]
  const faults: string[] = []
  const allow = new Set((headers.get('allow') ?? '').split(',').map((one) => one.trim().toLowerCase()))
  const missing = [...methods].filter((method) => !allow.has(method))
  // What can be read has a head, and anything may be asked what it takes.
  const implied = ['options', ...(methods.has('get') ? ['head'] : [])]
  const extra = [...allow].filter((method) => !methods.has(method) && !implied.includes(method))
  if (missing.length > 0 || extra.length > 0)
    faults.push(`Allow is ${[...allow].join(', ')}, the document has ${[...methods].join(', ')}`)
  if (!headers.get('x-request-id')) faults.push('no x-request-id')
  const { success, data, error } = (json ?? {}) as Record<string, unknown>
  if (method !== 'HEAD' && (success !== false || data !== null || typeof error !== 'string'))
    faults.push('405 is not the envelope of a failure')
  return faults
}
