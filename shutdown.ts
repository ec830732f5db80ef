import { ConfigError } from './config/config.ts'
import { SetupError } from './errors.ts'

/** How long requests in flight may take during shutdown. */
export const DRAIN_MS = 10_000
/** How long a stopping process answers requests on open connections, and ends each connection with its response. */
export const GRACE_MS = 1_000
/** How long clients have to end their connections to a worker that another one has replaced. */
export const LEAVE_MS = 5_000

/** Prints one actionable message; a stack trace only for unexpected errors. */
export function exitWithError(error: unknown): never {
  if (error instanceof Error) console.error(error instanceof ConfigError ? error.message : describe(error))
  else console.error(error)
  process.exit(1)
}

/** A SetupError says everything itself. */
function describe(error: Error): string {
  const isComplete = error instanceof SetupError || !(error.cause instanceof Error)
  return `Could not start. ${error.message}${isComplete ? '' : `: ${(error.cause as Error).message}`}`
}
