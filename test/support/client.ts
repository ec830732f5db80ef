import type { FastifyInstance, InjectOptions } from 'fastify'
import { createConformityCheck } from './conformity.ts'

/** The two mounts of every operation. */
export const mounts = ['', '/api'] as const

export interface Answer<T> {
  status: number
  body: { success: boolean; data: T; error?: string }
}

export type Request = Omit<InjectOptions, 'method' | 'url'> & {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  url: string
}

/** Request headers of an authenticated wallet, or of an anonymous client. */
export const headersOf = (app: FastifyInstance, wallet?: string): Record<string, string> =>
  wallet ? { authorization: `Bearer ${app.issueToken(wallet)}` } : {}

/** Sends requests to an app: status and body, with data of type T (unchecked). Rejects responses that violate the API's document. */
export function createClient(app: FastifyInstance): <T>(request: Request) => Promise<Answer<T>> {
  const check = createConformityCheck(app)
  return async (request) => {
    const response = await app.inject(request)
    const { method, url } = request
    const [status, body] = [response.statusCode, response.json()]
    const problem = check({ method, url, status, body })
    if (problem !== null) throw new Error(`${method} ${url}: ${problem}`)
    return { status, body }
  }
}

/**
 * How often each status answers requests that are sent at once. What a busy service refuses (503) is sent again, as a client
 * would do it.
 */
export async function countStatuses(
  count: number,
  send: (at: number) => Promise<{ status: number }>,
): Promise<Record<number, number>> {
  const statuses: Record<number, number> = {}
  for (let pending = Array.from({ length: count }, (_, at) => at); pending.length > 0; ) {
    const answers = await Promise.all(pending.map(async (at) => ({ at, status: (await send(at)).status })))
    const done = answers.filter(({ status }) => status !== 503)
    for (const { status } of done) statuses[status] = (statuses[status] ?? 0) + 1
    pending = answers.filter((answer) => !done.includes(answer)).map(({ at }) => at)
  }
  return statuses
}
