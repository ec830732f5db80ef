import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

export interface CommandResult {
  seconds: number
  /** false if it was ended because of the time limit. */
  isComplete: boolean
  /** The last line of its output. */
  last: string
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url))

/** Runs a script of the service until it ends, or for so many seconds. Rejects if it could not run. */
export async function runScript(
  script: string,
  env: Readonly<Record<string, string>>,
  seconds: number,
): Promise<CommandResult> {
  const start = performance.now()
  const child = spawn(process.execPath, [`scripts/${script}.ts`], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let last = ''
  child.stdout.on('data', (chunk: Buffer) => {
    last = chunk.toString().trim().split('\n').at(-1) ?? last
  })
  let isComplete = true
  const timer = setTimeout(() => {
    isComplete = false
    kill()
  }, seconds * 1_000)
  const [code] = await once(child, 'close').finally(() => {
    clearTimeout(timer)
    process.off('exit', kill)
  })
  if (isComplete && code !== 0 && !(script === 'audit' && code === 1))
    throw new Error(`npm run ${script} ended with ${code}: ${last}`)
  return { seconds: (performance.now() - start) / 1_000, isComplete, last }
}
