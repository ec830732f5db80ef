import type { RequestOptions } from '../acceptance/support/service.ts'
import type { Random } from '../indexer/fixtures/random.ts'
import { count } from '../indexer/fixtures/random-clients.ts'
import type { Supervised } from './supervised.ts'

const TIMEOUT_MS = 60_000

interface Body {
  success?: boolean
  // biome-ignore lint/suspicious/noExplicitAny: from outside, what an answer holds is known by asserting it
  data?: any
  error?: unknown
}

/** A response; its status is null if there was none. */
export interface Reply {
  status: number | null
  body: Body
  headers: Headers
}

interface Request {
  what: string
  /** Of the response. */
  text: string
  /** It was sent after all faults. */
  isCalm: boolean
}

/** The requests of all clients, and what no client should get. */
export class Clients {
  /** Of each status, how many. */
  readonly statuses = new Map<string, number>()
  readonly problems: string[] = []
  /** From now on no 5xx is excused. */
  isCalm = false
  readonly #apis: readonly Supervised[]

  constructor(apis: readonly Supervised[]) {
    this.#apis = apis
  }

  /** Any of the processes that answer. */
  pick(random: Random): Supervised {
    const place = random.next()
    const up = this.#apis.filter(({ isUp }) => isUp)
    const all = up.length > 0 ? up : this.#apis
    return all[Math.floor(place * all.length)] as Supervised
  }

  async request(api: Supervised, method: string, path: string, options: RequestOptions = {}): Promise<Reply> {
    const { token, body } = options
    const began = performance.now()
    const { isCalm } = this
    try {
      const response = await fetch(`${api.url}${path}`, {
        method,
        headers: {
          ...(token && { authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      })
      const text = await response.text()
      const reply = { status: response.status, body: parse(text), headers: response.headers }
      this.#judge(reply, { what: `${method} ${path}`, text, isCalm })
      return reply
    } catch (error) {
      const isExcused = api.wasDisturbedSince(began)
      count(this.statuses, isExcused ? 'none, process killed or paused' : 'none')
      const seconds = ((performance.now() - began) / 1_000).toFixed(1)
      if (!isExcused)
        this.problems.push(
          `${api.name} did not answer ${method} ${path} after ${seconds} s: ${(error as Error).cause ?? error}`,
        )
      return { status: null, body: {}, headers: new Headers() }
    }
  }

  #judge({ status, body, headers }: Reply & { status: number }, { what, text, isCalm }: Request): void {
    count(this.statuses, String(status))
    if (status < 500) return
    const problem = (why: string) => this.problems.push(`${what}: ${status} ${why}: ${text.slice(0, 200)}`)
    if (status !== 503) problem('is not expected')
    else if (isCalm) problem('after all faults')
    else if (!headers.get('retry-after')) problem('without Retry-After')
    else if (body.success !== false || body.data !== null || typeof body.error !== 'string')
      problem('without the envelope')
  }
}

function parse(text: string): Body {
  try {
    return JSON.parse(text) as Body
  } catch {
    return {}
  }
}
