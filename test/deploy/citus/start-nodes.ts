import { execFile } from 'node:child_process'
import { appendFile, chown, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { Test } from 'tap'
import { findPort } from '../../support/servers/find-port.ts'
import { createServerProcess, findOwner, type Server } from '../../support/servers/replicated-postgres.ts'

export interface CitusNodes {
  /** Of the database postgres on the coordinator, which is not distributed: tests create databases beside it. */
  url: string
  coordinator: Server
  workers: Server[]
}

/** Each database has a connection to each node, a process of the extension, and a transaction prepared on each node. */
const SETTINGS = `
shared_preload_libraries = 'citus'
wal_level = logical
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
fsync = off
shared_buffers = 32MB
max_connections = 300
max_prepared_transactions = 300
max_worker_processes = 200
max_locks_per_transaction = 512
logging_collector = on
log_min_messages = error
citus.node_conninfo = 'sslmode=disable'
`

/**
 * A coordinator and workers of this test's own, gone when it ends. `bin` is what findCitus returns; `settings` are lines of
 * postgresql.conf.
 */
export async function startCitusNodes(
  t: Pick<Test, 'teardown'>,
  bin: string,
  workers = 2,
  settings = '',
): Promise<CitusNodes> {
  const owner = findOwner()
  const folder = await mkdtemp(join(tmpdir(), 'slipway-citus-'))
  if (owner.uid !== undefined) await chown(folder, owner.uid, owner.gid!)
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  const start = async (name: string) => {
    const data = join(folder, name)
    const args = ['--auth=trust', '--username=postgres', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync', '-D', data]
    await promisify(execFile)(join(bin, 'initdb'), args, { ...owner, cwd: folder })
    const port = await findPort()
    // The port is in the file, because the coordinator's process reads there how to connect to itself.
    await appendFile(join(data, 'postgresql.conf'), `${SETTINGS}${settings}port = ${port}\n`)
    const server = createServerProcess(t, { bin, data, port, owner })
    await server.start()
    return server
  }
  const coordinator = await start('coordinator')
  const started: Server[] = []
  for (let number = 1; number <= workers; number += 1) started.push(await start(`worker-${number}`))
  return { url: coordinator.url, coordinator, workers: started }
}

/** Creates the extension in a database that exists on the coordinator and all of these workers, and introduces them to each other. */
export async function joinNodes(coordinatorUrl: string, workerUrls: readonly string[]): Promise<void> {
  for (const url of [coordinatorUrl, ...workerUrls])
    await runStatements(url, [['create extension if not exists citus']])
  const at = (url: string) => [new URL(url).hostname, Number(new URL(url).port)]
  await runStatements(coordinatorUrl, [
    ['select citus_set_coordinator_host($1, $2)', at(coordinatorUrl)],
    ...workerUrls.map((url): Statement => ['select citus_add_node($1, $2)', at(url)]),
  ])
}

type Statement = [text: string, values?: unknown[]]

async function runStatements(url: string, statements: readonly Statement[]): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    for (const [text, values] of statements) await client.query(text, values)
  } finally {
    await client.end()
  }
}
