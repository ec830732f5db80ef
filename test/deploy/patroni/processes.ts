import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { join } from 'node:path'

export interface Owner {
  uid?: number
  gid?: number
}

export interface RunningProgram {
  pid: number
  signal(name: NodeJS.Signals): void
  /** Ends it at once, and resolves when it is gone. */
  kill(): Promise<void>
}

interface Program {
  path: string
  args: string[]
  folder: string
  owner: Owner
  /** What it prints is appended to this file of the folder. */
  log: string
}

/** Starts a program that goes on until it is killed. */
export function startProgram({ path, args, folder, owner, log }: Program): RunningProgram {
  const output = openSync(join(folder, log), 'a')
  // None of the variables of this process, which name other servers.
  const env = { PATH: process.env.PATH, LC_ALL: 'C', HOME: folder }
  const child: ChildProcess = spawn(path, args, { ...owner, cwd: folder, env, stdio: ['ignore', output, output] })
  const exited = once(child, 'exit')
  // Waited for by kill() only.
  exited.catch(() => {})
  return {
    pid: child.pid as number,
    signal: (name) => void child.kill(name),
    kill: async () => {
      child.kill('SIGKILL')
      if (child.exitCode === null && child.signalCode === null) await exited
    },
  }
}
