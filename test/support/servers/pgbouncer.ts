import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { access, chown, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { findPort } from './find-port.ts'
import { findOwner } from './replicated-postgres.ts'

const PROGRAM = '/usr/sbin/pgbouncer'

/**
 * A PgBouncer in front of a PostgreSQL server, for as long as the test lasts. Returns the URL of the same database through it;
 * undefined where PgBouncer is not installed.
 */
export async function startPgBouncer(
  t: Test,
  databaseUrl: string,
  { mode, ignoresOptions = true }: { mode: 'session' | 'transaction'; ignoresOptions?: boolean },
): Promise<string | undefined> {
  const isInstalled = await access(PROGRAM).then(
    () => true,
    () => false,
  )
  if (!isInstalled) return undefined
  const target = new URL(databaseUrl)
  const folder = await mkdtemp(join(tmpdir(), 'slipway-pgbouncer-'))
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const port = await findPort()
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
* = host=${target.hostname} port=${target.port || 5432} user=${target.username || 'postgres'}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = ${mode}
max_client_conn = 200
${ignoresOptions ? 'ignore_startup_parameters = options' : ''}
`,
  )
  const owner = findOwner()
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid ?? owner.uid)
  const child = spawn(PROGRAM, [settings], { ...owner, cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] })
  const exited = once(child, 'exit')
  t.teardown(async () => {
    child.kill('SIGKILL')
    await exited
  })
  for await (const line of createInterface(child.stderr)) if (line.includes('process up')) break
  child.stderr.resume()
  const url = new URL(databaseUrl)
  url.host = `127.0.0.1:${port}`
  return url.href
}
