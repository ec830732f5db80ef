import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { findPort } from './find-port.ts'
import { findOwner } from './replicated-postgres.ts'

/** A PostgreSQL server that is in recovery, and rejects connections (57P03), until the test ends the recovery. */
export interface RecoveringPostgres {
  url: string
  start(): Promise<void>
  endRecovery(): Promise<void>
  /** At once. */
  kill(): Promise<void>
}

/** Creates one, which is not running yet. `bin` has the programs of the server. */
export async function createRecoveringPostgres(t: Test, bin: string): Promise<RecoveringPostgres> {
  const owner = findOwner()
  const folder = await mkdtemp(join(tmpdir(), 'slipway-recovering-'))
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid ?? owner.uid)
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const data = join(folder, 'data')
  const run = (program: string, ...args: string[]) =>
    promisify(execFile)(join(bin, program), args, { ...owner, cwd: folder })
  await run('initdb', '--auth=trust', '--username=postgres', '--encoding=UTF8', '--no-locale', '--no-sync', '-D', data)
  await writeFile(join(data, 'standby.signal'), '')
  if (owner.uid !== undefined) await chown(join(data, 'standby.signal'), owner.uid, owner.gid ?? owner.uid)
  const port = await findPort()
  const settings = ['fsync=off', 'hot_standby=off', 'listen_addresses=127.0.0.1', 'unix_socket_directories=']
  let child: ChildProcess | undefined
  const kill = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill('SIGQUIT')
    await ended
  }
  t.teardown(kill)
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    start: async () => {
      const args = ['-D', data, '-p', String(port), ...settings.flatMap((one) => ['-c', one])]
      child = spawn(join(bin, 'postgres'), args, { ...owner, cwd: folder, stdio: 'ignore' })
      await once(child, 'spawn')
    },
    endRecovery: async () => void (await run('pg_ctl', 'promote', '-D', data)),
    kill,
  }
}
