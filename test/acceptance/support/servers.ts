import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chown, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { createClient } from 'redis'
import type { Test } from 'tap'
import { findPort } from '../../support/servers/find-port.ts'
import { until } from './service.ts'

/** A server of the test, which can be stopped and started again with its data. */
export interface OwnServer {
  url: string
  start(): Promise<void>
  stop(): Promise<void>
}

const POSTGRES = '/usr/lib/postgresql'

/** Why a test that needs servers of its own cannot run here; false if it can. They are wanted where shared ones are. */
export const noOwnServers: string | false =
  process.env.TEST_DATABASE_URL && process.env.TEST_REDIS_URL
    ? false
    : 'TEST_DATABASE_URL and TEST_REDIS_URL are not set'

export async function startRedis(t: Test): Promise<OwnServer> {
  const [folder, port] = await Promise.all([makeFolder(t), findPort()])
  const url = `redis://127.0.0.1:${port}`
  const settings = ['--bind', '127.0.0.1', '--dir', folder, '--save', '', '--appendonly', 'yes']
  return runServer(t, url, {
    begin: () => spawn('redis-server', ['--port', String(port), ...settings], { stdio: 'ignore' }),
    stopSignal: 'SIGTERM',
    check: async () => {
      const client = createClient({ url, disableOfflineQueue: true, socket: { reconnectStrategy: false } })
      client.on('error', () => {})
      try {
        await client.connect()
        await client.ping()
      } finally {
        client.destroy()
      }
    },
  })
}

/** `tables`: an existing folder for its tables, such as a small file system; the write-ahead log is elsewhere. */
export async function startPostgres(t: Test, tables?: string): Promise<OwnServer> {
  const [folder, port] = await Promise.all([makeFolder(t), findPort()])
  const [version] = (await readdir(POSTGRES)).sort((a, b) => Number(b) - Number(a))
  const bin = join(POSTGRES, String(version), 'bin')
  // It refuses to be run by root.
  const idOf = (kind: string) => Number(execFileSync('id', [kind, 'postgres'], { encoding: 'utf8' }))
  const user = process.getuid?.() === 0 ? { uid: idOf('-u'), gid: idOf('-g') } : {}
  if (user.uid !== undefined) for (const one of [folder, tables ?? folder]) await chown(one, user.uid, user.gid)
  const data = join(tables ?? folder, 'data')
  const options = { ...user, cwd: folder, stdio: 'ignore' as const, env: { PATH: process.env.PATH, LC_ALL: 'C' } }
  const made = ['-D', data, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--no-sync', '-X', join(folder, 'wal')]
  execFileSync(join(bin, 'initdb'), made, options)
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`
  const settings = ['listen_addresses=127.0.0.1', 'unix_socket_directories=', 'fsync=off'].flatMap((one) => ['-c', one])
  return runServer(t, url, {
    begin: () => spawn(join(bin, 'postgres'), ['-D', data, '-p', String(port), ...settings], options),
    // What its manual calls a fast shutdown: sessions are ended.
    stopSignal: 'SIGINT',
    check: async () => {
      const client = new pg.Client(url)
      client.on('error', () => {})
      try {
        await client.connect()
      } finally {
        await client.end()
      }
    },
  })
}

interface Kind {
  begin(): ChildProcess
  stopSignal: NodeJS.Signals
  /** Rejects unless it answers. */
  check(): Promise<void>
}

async function runServer(t: Test, url: string, { begin, stopSignal, check }: Kind): Promise<OwnServer> {
  let child: ChildProcess | undefined
  const start = async () => {
    child = begin()
    const isUp = () =>
      check().then(
        () => true,
        () => false,
      )
    await until(isUp, Boolean, `${new URL(url).protocol} answers`)
  }
  const stop = async () => {
    if (!child || child.exitCode !== null || child.signalCode !== null) return
    const closed = once(child, 'close')
    child.kill(stopSignal)
    await closed
  }
  t.teardown(stop)
  await start()
  return { url, start, stop }
}

async function makeFolder(t: Test): Promise<string> {
  const folder = await mkdtemp('/tmp/slipway-server-')
  t.teardown(() => rm(folder, { recursive: true, force: true }))
  return folder
}
