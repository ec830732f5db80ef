import type pg from 'pg'
import type { SetupProblem } from '../../errors.ts'

const MIN_VERSION = 150_000

/** What the service needs to know of a PostgreSQL server before it uses it. */
export interface ServerFacts {
  version: number
  versionName: string
  encoding: string
  isStandby: boolean
  role: string
  database: string
  /** null if no schema of search_path exists. */
  schema: string | null
  createsTables: boolean
  createsExtensions: boolean
  /** installed: its operators are in search_path. hidden: they are not. available: the first start installs it. */
  trigrams: 'installed' | 'hidden' | 'available' | 'untrusted' | 'missing'
  /** Owner of the tables of the service, if the role has not its rights. */
  foreignOwner: string | null
  /** Connections that the role may open, by max_connections and the limits of role and database. */
  connections: number
  /** Replicas that stream from it. */
  replicas: number
  /** Whether a commit waits until a replica has it. */
  isSynchronous: boolean
  /** statement_timeout of this session in milliseconds; 0: none. */
  statementMs: number
}

const FACTS = `select
  current_setting('server_version_num')::int as version, current_setting('server_version') as "versionName",
  current_setting('server_encoding') as encoding, pg_is_in_recovery() as "isStandby",
  r.rolname as role, d.datname as database, current_schema() as schema,
  coalesce(has_schema_privilege(current_schema(), 'create'), false) as "createsTables",
  has_database_privilege(d.oid, 'create') as "createsExtensions",
  case
    when exists (select from pg_extension where extname = 'pg_trgm') then
      case when exists (select from pg_opclass where opcname = 'gin_trgm_ops' and pg_opclass_is_visible(oid))
        then 'installed' else 'hidden' end
    else coalesce(
      (select case when bool_or(trusted or r.rolsuper) then 'available' else 'untrusted' end
        from pg_available_extension_versions where name = 'pg_trgm' having count(*) > 0), 'missing')
  end as trigrams,
  (select min(tableowner) from pg_tables where schemaname = current_schema() and not pg_has_role(tableowner, 'usage')
    and tablename = any('{kysely_migration,chain_state,tokens,profiles}')) as "foreignOwner",
  least(
    current_setting('max_connections')::int - case when r.rolsuper then 0 else
      current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true), '0')::int end,
    case when r.rolsuper then null else nullif(r.rolconnlimit, -1) end,
    case when r.rolsuper then null else nullif(d.datconnlimit, -1) end) as connections,
  (select count(*)::int from pg_stat_replication) as replicas,
  current_setting('synchronous_standby_names') <> '' and current_setting('synchronous_commit') not in ('off', 'local')
    as "isSynchronous",
  (select setting::int from pg_settings where name = 'statement_timeout') as "statementMs"
from pg_roles r, pg_database d where r.rolname = current_user and d.datname = current_database()`

export async function readServerFacts(client: Pick<pg.Pool, 'query'>): Promise<ServerFacts> {
  const { rows } = await client.query<ServerFacts>(FACTS)
  return rows[0] as ServerFacts
}

interface Needs {
  /** Names the server in problems. */
  variable: string
  /** Whether the schema has to be created or migrated. Otherwise rights to do so are not needed yet. */
  isPending: boolean
  /** Connections that this process opens; null behind a pooler, which shares them. */
  connections: number | null
}

/** Everything that keeps the service from working with a primary server. The start fails by the first one. */
export function listServerProblems(facts: ServerFacts, { variable, isPending, connections }: Needs): SetupProblem[] {
  const problems: SetupProblem[] = []
  const add = (problem: string, remedy: string) => problems.push({ variable, problem, remedy })
  const { role, database, schema } = facts
  if (facts.version < MIN_VERSION) add(`the server is PostgreSQL ${facts.versionName}`, 'Use PostgreSQL 15 or later')
  if (facts.encoding !== 'UTF8')
    add(`the encoding of the database ${database} is ${facts.encoding}`, 'Create it with the encoding UTF8')
  if (facts.isStandby)
    add('the server is a read-only replica', 'Name the primary here, the replica in DATABASE_READ_URL')
  if (facts.foreignOwner !== null)
    add(
      `the tables belong to the role ${facts.foreignOwner}, whose rights ${role} has not`,
      `Connect as ${facts.foreignOwner}, or run: grant ${quote(facts.foreignOwner)} to ${quote(role)}`,
    )
  if (isPending && !facts.isStandby) {
    const trigrams = describeTrigrams(facts)
    if (trigrams) add(...trigrams)
    if (!facts.createsTables)
      add(
        `the role ${role} may not create tables in the schema ${schema ?? 'of its search_path'}`,
        `Run as the owner: grant create on schema ${schema === null ? 'public' : quote(schema)} to ${quote(role)}`,
      )
  }
  if (connections !== null && connections > facts.connections)
    add(
      `this process opens up to ${connections} connections, but the server allows ${facts.connections} to the role ${role}`,
      'Lower DATABASE_READ_CONNECTIONS, DATABASE_WRITE_CONNECTIONS and DATABASE_SYNC_CONNECTIONS, or raise max_connections',
    )
  return problems
}

function describeTrigrams({ trigrams, createsExtensions, role, database }: ServerFacts): [string, string] | undefined {
  const create = `as a superuser, in the database ${database}: create extension pg_trgm`
  switch (trigrams) {
    case 'missing':
      return [
        'the extension pg_trgm is not available',
        'Install the contrib package of PostgreSQL (postgresql-contrib)',
      ]
    case 'hidden':
      return [
        'the extension pg_trgm is in a schema outside of search_path',
        `Run: alter role ${quote(role)} in database ${quote(database)} set search_path = public, <its schema>`,
      ]
    case 'untrusted':
      return [`the role ${role} may not create the extension pg_trgm, which is not a trusted one here`, `Run ${create}`]
    case 'available':
      if (createsExtensions) return undefined
      return [
        `the role ${role} may not create the extension pg_trgm: it has no CREATE right on the database ${database}`,
        `Run as the owner of the database: grant create on database ${quote(database)} to ${quote(role)}; or ${create}`,
      ]
    case 'installed':
      return undefined
  }
}

const quote = (name: string) => (/^[a-z_][a-z0-9_]*$/.test(name) ? name : `"${name.replaceAll('"', '""')}"`)
