import type { FastifyInstance, InjectOptions } from 'fastify'
import { createConformityCheck } from './conformity.ts'

/** Where every operation is served. */
export const mounts = ['', '/api'] as const

export interface Answer<T> {
  status: number
  body: { success: boolean; data: T; error?: string }
}

export type Request = Omit<InjectOptions, 'method' | 'url'> & {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  url: string
}

/** The headers of a request of a wallet that signed in, or of nobody. */
export const headersOf = (app: FastifyInstance, wallet?: string): Record<string, string> =>
  wallet ? { authorization: `Bearer ${app.issueToken(wallet)}` } : {}

/** Asks an app: status and body, whose data is taken to be a T. Rejects what the API's document does not allow. */
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
