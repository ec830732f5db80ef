import { type ChildProcess, type ForkOptions, fork } from 'node:child_process'
import { once } from 'node:events'

/** Starts a file as a child process and waits for its first message. It ends with this process. */
export async function startChild<T>(
  file: URL,
  args: readonly string[] = [],
  options: Pick<ForkOptions, 'env' | 'stdio' | 'execPath' | 'execArgv'> = {},
): Promise<{ child: ChildProcess; first: T }> {
  const child = fork(file, args, options)
  return { child, first: await receive<T>(child) }
}

/** The next message of a child. Rejects if the child ends first. */
export async function receive<T>(child: ChildProcess): Promise<T> {
  const ended = new AbortController()
  const exit = once(child, 'exit', { signal: ended.signal }).then(([code]) => {
    throw new Error(`A child process has ended (${code})`)
  })
  try {
    const [message] = await Promise.race([once(child, 'message', { signal: ended.signal }), exit])
    return message as T
  } finally {
    exit.catch(() => {})
    ended.abort()
  }
}

export const quantile = (values: readonly number[], part: number) =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(values.length * part))] as number
