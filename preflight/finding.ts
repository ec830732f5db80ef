import type { SetupProblem } from '../errors.ts'

/** Outcome of a check. A failure keeps the service from working; a warning is worth a look before users come. */
export type Level = 'ok' | 'warn' | 'fail'

/** One line of the report. */
export interface Finding {
  level: Level
  /** The variable to change. */
  name: string
  /** What was tried and what came of it. */
  message: string
  /** What to do; null if nothing. */
  remedy: string | null
}

export const pass = (name: string, message: string): Finding => ({ level: 'ok', name, message, remedy: null })
export const warn = (name: string, message: string, remedy: string): Finding => ({
  level: 'warn',
  name,
  message,
  remedy,
})
export const fail = (name: string, message: string, remedy: string): Finding => ({
  level: 'fail',
  name,
  message,
  remedy,
})

export const toFinding = ({ variable, problem, remedy }: SetupProblem) => fail(variable, problem, remedy)

/** "FAIL  RPC_URL: node 1 does not respond. Start the node, or …" */
export const describe = ({ level, name, message, remedy }: Finding): string =>
  `${level.toUpperCase().padEnd(4)}  ${name}: ${message}.${remedy === null ? '' : ` ${remedy}.`}`

/** The first line of an error's message, without what a library adds: URLs may contain keys. */
export function reasonOf(error: unknown): string {
  const causes: Error[] = []
  for (let cause = error; cause instanceof Error && !causes.includes(cause); cause = cause.cause) causes.push(cause)
  const deepest = causes.at(-1)
  if (!deepest) return String(error)
  const { code } = deepest as NodeJS.ErrnoException
  // A refused connection has one cause for each address, and no message of its own.
  const inner = deepest instanceof AggregateError ? deepest.errors[0] : undefined
  const text = (inner instanceof Error ? inner.message : deepest.message).split('\n')[0] ?? ''
  return (text || code || deepest.name).replace(/\.$/, '').replace(/\b[a-z][a-z0-9+.-]*:\/\/\S+/gi, '(URL)')
}
