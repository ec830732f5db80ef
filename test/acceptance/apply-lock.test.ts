import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain } from './support/chain.ts'
import { createDatabase, startService, until } from './support/service.ts'
import { signIn } from './support/sign-in.ts'

/** As in indexer/engine/apply.ts: every writer of chain-derived rows takes this advisory lock. */
const APPLY_LOCK = 7_308_339_910
const SYNCS = 18
const [creator, trader] = [account(1), account(2)]
const skip = process.env.TEST_DATABASE_URL ? false : 'an embedded database has one connection'

async function start(t: Test, env: Record<string, string>) {
  const [chain, databaseUrl] = await Promise.all([startChain(t), createDatabase(t) as Promise<string>])
  const service = await startService(t, { env: { ...chain.env, LOG_LEVEL: 'silent', ...env }, databaseUrl })
  const launched = await chain.send(creator, calls.create(chain.contracts, 'Cat', 'CAT', parseEther('0.1')))
  const token = createdToken(launched)
  const jwt = await signIn(service, '', { wallet: trader.address, account: trader })
  await until(
    () => service.request('GET', `/tokens/${token}`),
    ({ status }) => status === 200,
    'the token is indexed',
  )
  const client = new pg.Client(databaseUrl)
  client.on('error', () => {})
  await client.connect()
  t.teardown(() => client.end())
  return { chain, service, token, jwt, client }
}

t.test(
  'while another session holds the apply lock, syncs fail with 503, and other requests succeed',
  { skip },
  async (t) => {
    const env = { DATABASE_LOCK_TIMEOUT_MS: '2000', SYNC_QUEUE: '12' }
    const { chain, service, token, jwt, client } = await start(t, env)
    await client.query('select pg_advisory_lock($1)', [APPLY_LOCK])
    const hashes: string[] = []
    for (let index = 0; index < SYNCS; index++) {
      const bought = await chain.send(trader, calls.buy(chain.contracts, token, trader.address, parseEther('0.001')))
      hashes.push(bought.transactionHash)
    }
    const sync = (txHash: string) => service.request('POST', '/buy', { token: jwt, body: { txHash } })

    const started = performance.now()
    const syncing = Promise.all(hashes.map(sync))
    let isOver = false
    syncing.finally(() => {
      isOver = true
    })
    const reads: number[] = []
    const writes: number[] = []
    let slowest = 0
    while (!isOver) {
      const asked = performance.now()
      reads.push((await service.request('GET', '/tokens')).status)
      writes.push((await service.request('POST', `/tokens/${token}/like`, { token: jwt })).status)
      slowest = Math.max(slowest, performance.now() - asked)
      await sleep(20)
    }
    const answers = await syncing
    const seconds = (performance.now() - started) / 1_000
    t.comment({ seconds, reads: reads.length, slowestMs: Math.round(slowest) })
    t.ok(reads.length > 5)
    t.same([...new Set(reads)], [200], 'reads')
    t.same([...new Set(writes)], [200], 'what people write')
    t.same([...new Set(answers.map(({ status }) => status))], [503], 'syncs')
    t.ok(answers.every(({ headers }) => Number(headers.get('retry-after')) >= 1))
    t.same([...new Set(answers.map(({ body }) => body.error))], ['The service is overloaded; retry shortly'])
    // Waiting in the queue and waiting for the lock are both bounded by DATABASE_LOCK_TIMEOUT_MS.
    // One after the other they would take more than half a minute.
    t.ok(seconds < 20, `answered after ${seconds} s`)
    t.equal((await client.query('select from claims')).rowCount, 0, 'nothing is written')

    await client.query('select pg_advisory_unlock($1)', [APPLY_LOCK])
    for (const hash of hashes) {
      await until(
        () => sync(hash),
        ({ status }) => status !== 503,
        'the sync is retried',
      )
    }
    t.equal((await client.query('select from claims')).rowCount, SYNCS, 'each succeeds once the lock is free')
  },
)

t.test('reads that wait for a lock fail with 503, and do not delay writes', { skip }, async (t) => {
  const env = { DATABASE_LOCK_TIMEOUT_MS: '6000', DATABASE_READ_CONNECTIONS: '3' }
  const { service, token, jwt, client } = await start(t, env)
  const comment = () => service.request('POST', `/tokens/${token}/comments`, { token: jwt, body: { text: 'Hello' } })
  t.equal((await comment()).status, 200)
  await client.query('begin; lock table trades in access exclusive mode')
  let answered = 0
  const reads = Promise.all(
    Array.from({ length: 6 }, async (_, index) => {
      const answer = await service.request('GET', `/tokens/${token}/trades?limit=${index + 1}`)
      answered++
      return answer
    }),
  )
  const sessions = `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
    and application_name like 'slipway reads %'`
  await until(
    async () => {
      // A transaction sees the sessions as they were when it first looked.
      await client.query('select pg_stat_clear_snapshot()')
      return (await client.query(sessions)).rowCount
    },
    (count) => count === 3,
    'all connections for reads wait',
  )
  t.match(await comment(), { status: 200 })
  t.equal(answered, 0, 'none of the reads has been answered')
  for (const { status, headers, body } of await reads) {
    t.match({ status, body }, { status: 503, body: { success: false, data: null } })
    t.ok(headers.get('retry-after'))
  }
  await client.query('rollback')
  t.equal((await service.request('GET', `/tokens/${token}/trades`)).status, 200)
})
