// pg connects to the first host of a URL alone, and asks no server for its role.
import type { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import pg from 'pg'
import { splitHosts } from '../../config/database-hosts.ts'
import { nameSession } from '../process-name.ts'

type Role = 'primary' | 'replica'

export interface HostState {
  host: string
  /** primary, replica, or why it is unavailable. */
  state: string
}

/** Longer than a server with work takes to answer. A server that hangs longer is replaced, if another has its role. */
const ANSWER_MS = 2_000
const WATCH_MS = 1_000
/** Requests of an outage share the outcome of a search. */
const SEARCH_MS = 250

/** No host of a URL has the role that is needed, as during a failover. */
export class NoHostError extends Error {
  override readonly name = 'NoHostError'
  readonly code = 'ENOHOST'
  /** The same without the names of the hosts. */
  readonly summary: string

  constructor(role: Role, reasons: readonly { host: string; reason: string; isOther: boolean }[]) {
    const none = `none of the ${reasons.length} hosts is a ${role}`
    super(`${none}: ${reasons.map(({ host, reason }) => `${host} ${reason}`).join('; ')}`)
    this.summary = `${none}: ${reasons.filter(({ isOther }) => !isOther).length} unavailable`
  }
}

/** A server answered, and has the other role. */
class OtherRoleError extends Error {}

interface Server {
  url: string
  host: string
  port: number
  /** Rises with each promotion; 0 for a replica. */
  timeline: number
}

/** The timeline is in the name of the current segment of the write-ahead log. */
const STATE = `select pg_is_in_recovery() as standby, case when not pg_is_in_recovery()
  then ('x' || substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8))::bit(32)::int end as timeline`

/**
 * Finds the host with a role, and watches it while connections are open: a server that hangs, or a machine that is gone, closes no
 * connection by itself. Invariant: a primary is never followed by one of an earlier timeline, which would be a former primary.
 */
class HostFinder {
  readonly #urls: readonly string[]
  readonly #role: Role
  readonly #clients = new Set<HostClient>()
  #current: Server | undefined
  #timeline = 0
  #searching: Promise<Server> | undefined
  #failure: { at: number; error: unknown } | undefined
  /** The connection that the current server is watched by. */
  #probe: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(urls: readonly string[], role: Role) {
    this.#urls = urls
    this.#role = role
  }

  get role(): Role {
    return this.#role
  }

  /** Rejects with NoHostError, or with the error of all hosts if it is the same. */
  async find(): Promise<Server> {
    if (this.#current) return this.#current
    if (this.#failure && performance.now() - this.#failure.at < SEARCH_MS) throw this.#failure.error
    return this.#search()
  }

  /** A connection to the server failed. */
  drop(server: Server): void {
    if (this.#current === server) this.#current = undefined
  }

  add(client: HostClient): void {
    this.#clients.add(client)
    client.once('end', () => this.#clients.delete(client))
    this.#timer ??= this.#wait()
  }

  #wait(): NodeJS.Timeout {
    return setTimeout(() => void this.#watch(), WATCH_MS).unref()
  }

  async #watch(): Promise<void> {
    if (this.#clients.size === 0) {
      this.#timer = undefined
      return this.#closeProbe()
    }
    try {
      if (!this.#probe) throw new Error('Not watched yet')
      await this.#read(this.#probe)
    } catch {
      this.#closeProbe()
      // Without another server the present connections go on: this one may only be slow.
      await this.#search().catch(() => {})
    }
    this.#timer = this.#wait()
  }

  #search(): Promise<Server> {
    this.#searching ??= this.#askAll().finally(() => {
      this.#searching = undefined
    })
    return this.#searching
  }

  async #askAll(): Promise<Server> {
    const asked = this.#urls.map((url) => this.#ask(url))
    try {
      const found = await Promise.any(asked)
      // Those that answer later are not needed.
      for (const one of asked) one.then(({ probe }) => probe !== found.probe && end(probe)).catch(() => {})
      this.#use(found.server, found.probe)
      return found.server
    } catch (error) {
      const failure = this.#explain((error as AggregateError).errors)
      this.#current = undefined
      this.#failure = { at: performance.now(), error: failure }
      throw failure
    }
  }

  #use(server: Server, probe: pg.Client): void {
    this.#closeProbe()
    this.#probe = probe
    this.#failure = undefined
    this.#timeline = Math.max(this.#timeline, server.timeline)
    this.#current = server
    for (const client of this.#clients) if (client.server?.url !== server.url) client.abort()
  }

  #closeProbe(): void {
    if (this.#probe) end(this.#probe)
    this.#probe = undefined
  }

  async #ask(url: string): Promise<{ server: Server; probe: pg.Client }> {
    const probe = createProbe(url)
    try {
      await probe.connect()
      const timeline = await this.#read(probe)
      streamOf(probe).unref()
      return { server: { url, host: probe.host, port: probe.port, timeline }, probe }
    } catch (error) {
      end(probe)
      throw error
    }
  }

  /** Resolves to the timeline of a server that has the role. */
  async #read(probe: pg.Client): Promise<number> {
    const { standby, timeline } = await readState(probe)
    if (standby !== (this.#role === 'replica')) throw new OtherRoleError(standby ? 'is a replica' : 'is a primary')
    if ((timeline ?? 0) < this.#timeline) throw new OtherRoleError('is a former primary')
    return timeline ?? 0
  }

  #explain(errors: readonly unknown[]): unknown {
    const codes = new Set(errors.map((error) => (error as NodeJS.ErrnoException).code))
    const [first] = codes
    // Such as a wrong password.
    if (codes.size === 1 && first !== undefined) return errors[0]
    const reasons = errors.map((error, index) => ({
      host: new URL(this.#urls[index] as string).host,
      reason: error instanceof OtherRoleError ? error.message : `is unavailable (${reasonOf(error)})`,
      isOther: error instanceof OtherRoleError,
    }))
    return new NoHostError(this.#role, reasons)
  }
}

function createProbe(url: string): pg.Client {
  const probe = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: ANSWER_MS,
    query_timeout: ANSWER_MS,
    application_name: nameSession('hosts', undefined),
  })
  probe.on('error', () => {})
  return probe
}

interface State {
  standby: boolean
  timeline: number | null
}

async function readState(probe: pg.Client): Promise<State> {
  const { rows } = await probe.query<State>(STATE)
  return rows[0] as State
}

const reasonOf = (error: unknown): string => {
  const inner = error instanceof AggregateError ? error.errors[0] : error
  return inner instanceof Error ? inner.message.split('\n', 1)[0] || inner.name : String(inner)
}

/** At once: a server that hangs answers no farewell. */
const end = (client: pg.Client) => streamOf(client).destroy()

const streamOf = (client: pg.Client) => (client as unknown as { connection: { stream: Socket } }).connection.stream

/** A client whose config has `hosts`. It connects to the host that has the role. */
export class HostClient extends pg.Client {
  server: Server | undefined
  readonly #finder: HostFinder

  constructor(config: pg.ClientConfig & { hosts: HostFinder }) {
    super(config)
    this.#finder = config.hosts
  }

  override connect(): Promise<this>
  override connect(callback: (error: Error) => void): void
  override connect(callback?: (error: Error) => void): Promise<this> | undefined {
    const connected = this.#connect()
    if (!callback) return connected
    // pg-pool passes a callback.
    connected.then(() => (callback as (error?: Error) => void)(), callback)
    return undefined
  }

  /** Ends it at once, with its queries. */
  abort(): void {
    end(this)
  }

  async #connect(): Promise<this> {
    const server = await this.#finder.find()
    Object.assign(this, { host: server.host, port: server.port, server })
    let isStandby = false
    const { connection } = this as unknown as { connection: EventEmitter }
    // Reported by every server from PostgreSQL 14 on when a session starts.
    connection.on('parameterStatus', ({ parameterName, parameterValue }: Record<string, string>) => {
      if (parameterName === 'in_hot_standby') isStandby = parameterValue === 'on'
    })
    try {
      await super.connect()
      if (isStandby !== (this.#finder.role === 'replica')) throw new OtherRoleError('The server has changed its role')
    } catch (error) {
      this.#finder.drop(server)
      end(this)
      throw error
    }
    this.#finder.add(this)
    return this
  }
}

/** Connections of all pools to the same hosts go to one server. */
const finders = new Map<string, HostFinder>()

/** Finds the server of a URL with several hosts; undefined for one host. */
export function findHosts(url: string): HostFinder | undefined {
  const { urls, sessions } = splitHosts(url)
  if (urls.length < 2) return undefined
  const role = sessions?.endsWith('standby') ? 'replica' : 'primary'
  const key = [role, ...urls].join(' ')
  const hosts = finders.get(key) ?? new HostFinder(urls, role)
  finders.set(key, hosts)
  return hosts
}

/** The state of each host of a URL with several; empty for one host. */
export async function listHosts(url: string): Promise<HostState[]> {
  const { urls } = splitHosts(url)
  if (urls.length < 2) return []
  return Promise.all(
    urls.map(async (one) => {
      const { host } = new URL(one)
      const probe = createProbe(one)
      try {
        await probe.connect()
        const { standby } = await readState(probe)
        return { host, state: standby ? 'replica' : 'primary' }
      } catch (error) {
        return { host, state: reasonOf(error) }
      } finally {
        end(probe)
      }
    }),
  )
}
