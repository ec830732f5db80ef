import { sql } from 'kysely'
import t from 'tap'
import { LeaseLostError } from '../../indexer/engine/errors.ts'
import { endStuckSyncs, type Lease, tryLease, waitForLease } from '../../indexer/engine/lease.ts'
import { toAppError } from '../../plugins/errors.ts'
import { createTestDatabase } from '../support/database.ts'
import { waitUntil } from '../support/waits/wait-until.ts'

const warnings: string[] = []
const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message) }
const database = await createTestDatabase(t)
const skip = database.kind === 'pglite' && 'an embedded database has one process and one connection'
const { indexer: db } = database
const fenced = (lease: Lease) => db.transaction().execute((trx) => lease.fence(trx))
const expire = () => sql`update indexer_lease set expires_at = clock_timestamp()`.execute(db)
/** A holder that is alive may renew it in between: then once more. */
async function takeOver(): Promise<Lease> {
  for (;;) {
    await expire()
    const lease = await tryLease(database, log)
    if (lease) return lease
  }
}
const readLease = () => db.selectFrom('indexer_lease').selectAll().executeTakeFirstOrThrow()

t.test('after a takeover, transactions of the former lease holder fail, those of the new one do not', async (t) => {
  const first = await tryLease(database, log)
  t.ok(first)
  if (database.kind === 'postgres') t.notOk(await tryLease(database, log), 'the lease is held')
  await fenced(first as Lease)
  const second = await takeOver()
  t.ok(second.token > (first as Lease).token)
  await t.rejects(fenced(first as Lease), LeaseLostError)
  t.notOk(first?.isHeld())
  await fenced(second)
  t.ok(second.isHeld())
  await first?.release()
  t.equal((await readLease()).token, second.token, 'its release leaves the lease of the other alone')
  t.not((await readLease()).holder, null)
  await second.release()
  t.equal((await readLease()).holder, null)
  const third = await tryLease(database, log)
  t.ok(third, 'a lease that was released is free at once')
  await third?.release()
})

t.test(
  'a standby waits until a lease without heartbeats (restored dump) expires, but not for an active indexer',
  { skip },
  async (t) => {
    const active = (await tryLease(database, log)) as Lease
    const started = performance.now()
    t.equal(await waitForLease(database, log), undefined)
    t.ok(performance.now() - started < 10_000, 'after its next heartbeat, not after its lease')
    await active.release()
    // Backend ids of a dump belong to other sessions of the new server.
    await sql`update indexer_lease set holder = 'restored', backend_pid = (select pid from pg_stat_activity limit 1),
    expires_at = clock_timestamp() + interval '2 seconds'`.execute(db)
    const messages: string[] = []
    const waited = { ...log, info: (_: object, message: string) => void messages.push(message) }
    const lease = await waitForLease(database, waited)
    t.ok(lease?.isHeld())
    t.match(messages, [/^Waiting until the lease of restored expires/])
    await lease?.release()
  },
)

t.test('heartbeats continue during a long batch, and no takeover happens until it ends', { skip }, async (t) => {
  const lease = (await tryLease(database, log)) as Lease
  await db.transaction().execute(async (trx) => {
    await lease.fence(trx)
    const { heartbeat_at: before } = await readLease()
    await waitUntil('a heartbeat', async () => Number((await readLease()).heartbeat_at) > Number(before))
    warnings.length = 0
    while (warnings.length === 0) {
      await expire()
      t.notOk(await tryLease(database, log), 'the transaction has locked the lease')
    }
    t.match(warnings, [/a transaction of its former holder goes on/])
  })
  const next = await takeOver()
  await t.rejects(fenced(lease), LeaseLostError)
  await Promise.all([lease.release(), next.release()])
})

t.test('a lease holder whose database session has ended is replaced at once', { skip }, async (t) => {
  const lease = (await tryLease(database, log)) as Lease
  await sql`select pg_terminate_backend(backend_pid) from indexer_lease`.execute(db)
  let next: Lease | undefined
  await waitUntil('it is replaced', async () => {
    next = await tryLease(database, log).catch(() => undefined)
    return next !== undefined
  })
  await Promise.all([lease.release(), next?.release()])
  t.pass('it is replaced')
})

t.test(
  'the holder of the lease looks for receipt syncs that take too long with each heartbeat',
  { skip },
  async (t) => {
    const lease = (await tryLease(database, log)) as Lease
    // The latest statement of the connection of the lease.
    await waitUntil('it has looked', async () => {
      const { rows } = await sql<{ query: string }>`select query from pg_stat_activity
      where datname = current_database() and split_part(application_name, ' ', 2) = 'lease'`.execute(db)
      return rows.some(({ query }) => query.includes('pg_terminate_backend(pid)'))
    })
    await lease.release()
    t.pass()
  },
)

t.test('a receipt sync whose transaction takes too long is terminated with 503', { skip }, async (t) => {
  const ended = database.syncs.transaction().execute(async (trx) => {
    await sql`select 1`.execute(trx)
    await endStuckSyncs(database.lease, log, 30)
    await sql`select 1`.execute(trx)
    t.pass('not before its time')
    await endStuckSyncs(database.lease, log, 0)
    await waitUntil('the session is gone', async () => {
      await sql`select 1`.execute(trx)
      return false
    })
  })
  t.match(toAppError(await ended.catch((error: unknown) => error)), { status: 503, retryAfter: 1 })
})
