import fc from 'fast-check'
import type { Hex } from 'viem'
import { findFaults, findMethodFaults } from './check.ts'
import { type Request, type Response, send, toCurl } from './client.ts'
import { type ApiDocument, type Operation, readDocument } from './document.ts'
import { createMemory } from './memory.ts'
import { type Aim, type Draw, drawsOf, type Plan, toPlan } from './plan.ts'
import { createReads } from './reads.ts'
import { keyOf, type Session, signIn } from './session.ts'
import { createStories } from './stories.ts'

export interface Options {
  document: string | URL
  /** Where the service is, without a prefix and without a slash at the end. */
  base: string
  seed: number
  requests: number
  /** The key of a wallet on the operators' and the labs list, so that their operations are tried beyond 403. */
  operatorKey?: Hex
}

export interface Fault {
  operation: string
  aim: string
  problem: string
  curl: string
}

export interface Report {
  seed: number
  requests: number
  /** How many answers had each status. */
  statuses: Record<number, number>
  /** Operations that never answered with a success. */
  neverSucceeded: string[]
  /** DELETE operations of which it was not seen that what they take away stays away. */
  untold: string[]
  faults: Fault[]
}

/** What the document says in words alone: fields that exclude or bound one another. Such a 400 is no fault. */
const wordsOnly = [
  /^query\.page times query\.limit must be/,
  /^query\.\w+ must not be (after|above) /,
  /^query\.from is required$/,
  /^query\.symbol must be a ticker of this feed: /,
  /^body must have either ids or all/,
  /must contain visible text$/,
]

/** Asks the service, in turn, for each operation of its document, until so many requests are spent. */
export async function fuzz({ document: path, base, seed, requests, operatorKey }: Options): Promise<Report> {
  const document = await readDocument(path)
  const report: Report = { seed, requests: 0, statuses: {}, neverSucceeded: [], untold: [], faults: [] }
  const operatorOnly = operatorKey ?? keyOf(seed, 'operator')
  const [ann, bob, carl, operator] = (await Promise.all(
    [keyOf(seed, 'ann'), keyOf(seed, 'bob'), keyOf(seed, 'carl'), operatorOnly].map((key) => signIn(base, key)),
  )) as [Session, Session, Session, Session]
  const memory = createMemory(new Set([ann, bob, carl, operator].map(({ wallet }) => wallet)))
  const succeeded = new Set<string>()

  const note = (operation: Operation, aim: string, request: Request, problems: readonly string[]) => {
    for (const problem of problems) report.faults.push({ operation: operation.id, aim, problem, curl: toCurl(request) })
  }
  const ask = async (operation: Operation, aim: Aim, request: Request): Promise<Response> => {
    const response = await send(request)
    report.requests++
    report.statuses[response.status] = (report.statuses[response.status] ?? 0) + 1
    if (response.status < 300) {
      succeeded.add(operation.id)
      memory.learn(operation, response.json)
    }
    if (aim !== 'method') note(operation, aim, request, findFaults(operation, request.method, response))
    return response
  }

  const readAgain = createReads({ ask, note })
  const stories = createStories({ base, document, sessions: { ann, bob, carl, operator }, ask, note })
  await survey(document, base, ask)
  await stories.run(seed)
  const perOperation = Math.max(1, Math.ceil((requests - report.requests) / document.operations.length))
  const turns = document.operations.map((operation, index) => ({
    operation,
    draws: fc.sample(drawsOf(operation, document), { seed: seed + index, numRuns: perOperation }),
  }))
  for (let turn = 0; turn < perOperation; turn++)
    for (const { operation, draws } of turns) {
      const isOperators = operation.tag === 'Operators' || operation.tag === 'Labs'
      const session = isOperators || turn % 4 === 3 ? operator : turn % 2 ? ann : bob
      const asker = operation.id === 'logout' ? await signIn(base, keyOf(seed, 'leaver')) : session
      const plan = toPlan(draws[turn] as Draw, operation, { base, document, memory, session: asker })
      if (!plan) continue
      const response = await ask(operation, plan.aim, plan.request)
      note(operation, plan.aim, plan.request, judge(plan, response, document))
      if (plan.aim === 'accepts' && response.status === 200) await readAgain(operation, plan.request)
      const next = plan.aim === 'accepts' ? nextOf(plan.request, response) : null
      if (next) note(operation, plan.aim, next, judge(plan, await ask(operation, plan.aim, next), document))
      if (operation.id === 'logout' && response.status === 200) {
        const again = await ask(operation, 'bad token', plan.request)
        if (again.status !== 401)
          note(operation, 'bad token', plan.request, [`a token works after logout: ${again.status}`])
      }
    }
  report.untold = await stories.recheck()
  report.neverSucceeded = document.operations.map(({ id }) => id).filter((id) => !succeeded.has(id))
  return report
}

/** The request of the page after this answer, if it names one. */
function nextOf(request: Request, { json }: Response): Request | null {
  const { data } = (json ?? {}) as { data?: { nextCursor?: unknown } | null }
  if (typeof data?.nextCursor !== 'string') return null
  const url = new URL(request.url)
  url.searchParams.delete('page')
  url.searchParams.set('cursor', data.nextCursor)
  return { ...request, url: url.href }
}

/** First every list as it is, so that there is something to name. */
async function survey(
  { operations, mounts }: ApiDocument,
  base: string,
  ask: (operation: Operation, aim: Aim, request: Request) => Promise<Response>,
): Promise<void> {
  for (const operation of operations)
    if (operation.method === 'GET' && operation.security !== 'required' && !operation.path.includes('{'))
      if (operation.parameters.every(({ required }) => !required))
        for (const mount of mounts)
          await ask(operation, 'accepts', { method: 'GET', url: `${base}${mount}${operation.path}`, headers: {} })
}

/** What the aim of a request has against its answer. */
function judge({ aim, operation, path, request }: Plan, response: Response, document: ApiDocument): string[] {
  const { status, json } = response
  // The chart feed says it in the words of its own protocol.
  const said = (json ?? {}) as { error?: unknown; errmsg?: unknown }
  const error = String(said.error ?? said.errmsg)
  switch (aim) {
    case 'method':
      return findMethodFaults(document.methodsAt(path), request.method, response)
    case 'accepts':
      if (status === 400 && wordsOnly.some((reason) => reason.test(error))) return []
      return [400, 405, 413, 414, 415].includes(status) ? [`refused what the document allows: ${status} ${error}`] : []
    case 'refuses':
    case 'malformed':
      // An operation that declares no 400 for its input takes any input, and describes errors in its answer.
      if (takesAnyInput(operation)) return []
      return status >= 400 && status < 500 ? [] : [`accepted what the document forbids: ${status}`]
    case 'no token':
    case 'bad token':
      if (operation.security !== 'required') return []
      return status === 401 ? [] : [`answered ${status} without a good token`]
  }
}

function takesAnyInput({ responses }: Operation): boolean {
  const refusal = responses.get(400)
  return refusal === undefined || refusal.reasons.join() === 'MALFORMED_REQUEST'
}
