import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import t from 'tap'
import { parseEther } from 'viem'
import { account, calls, createdToken, startChain } from './support/chain.ts'
import { createDatabase, startIndexerProcess, until as untilWithin } from './support/service.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const [creator, trader] = [account(1), account(2)]
const skip = process.env.TEST_DATABASE_URL ? false : 'an embedded database has one process'

/** For a machine with more to do than it can. */
const until = <T>(ask: () => Promise<T>, isWanted: (answer: T) => boolean, what: string) =>
  untilWithin(ask, isWanted, what, 90_000)

/** Gives a process a clock of its own. */
const skewed = (hours: number) => {
  const code = `const now = Date.now, skew = ${hours} * 3600e3
    Date.now = () => now() + skew
    globalThis.Date = class extends Date { constructor(...args) { args.length ? super(...args) : super(now() + skew) } }`
  return { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(code)}` }
}

t.test(
  'a leader that is paused in the middle of a batch loses the lease and writes nothing more',
  { skip },
  async (t) => {
    const [chain, databaseUrl] = await Promise.all([startChain(t), createDatabase(t) as Promise<string>])
    const [client, locker] = [new pg.Client(databaseUrl), new pg.Client(databaseUrl)]
    for (const one of [client, locker]) {
      one.on('error', () => {})
      await one.connect()
      t.teardown(() => one.end())
    }
    const read = async <T>(text: string, values: unknown[] = []): Promise<T> =>
      (await client.query(text, values)).rows[0]
    const findLease = () => read<{ holder: string; token: string; heartbeat_at: Date }>('select * from indexer_lease')
    const pidOf = ({ holder }: { holder: string | null }) => Number(holder?.split(':')[1])
    const countTrades = async () => Number((await read<{ n: string }>('select count(*) as n from trades')).n)
    const countSessions = async (pid: number, condition: string) =>
      Number(
        (
          await read<{ n: string }>(
            `select count(*) as n from pg_stat_activity where datname = current_database()
          and split_part(split_part(application_name, ' ', 3), ':', 2) = $1 and ${condition}`,
            [String(pid)],
          )
        ).n,
      )

    const env = { ...chain.env, DATABASE_URL: databaseUrl }
    // The clocks of the machines are two hours apart: only the database's counts.
    const old = startIndexerProcess(t, { ...env, ...skewed(-1) })
    await until(
      () => findLease().catch(() => ({ holder: null })),
      (lease) => pidOf(lease) === old.pid,
      'the first one leads',
    )
    const standby = startIndexerProcess(t, { ...env, ...skewed(1) })
    const token = createdToken(
      await chain.send(creator, calls.create(chain.contracts, 'Cat', 'CAT', parseEther('0.1'))),
    )
    const buy = () => chain.send(trader, calls.buy(chain.contracts, token, trader.address, parseEther('0.01')))
    await until(countTrades, (trades) => trades === 1, 'the launch is indexed')
    await until(() => countSessions(standby.pid, `query like '%indexer_lease%'`), Boolean, 'the second one stands by')
    const first = await findLease()
    await until(findLease, ({ heartbeat_at: at }) => +at > +first.heartbeat_at, 'the first one sends a heartbeat')
    t.equal(pidOf(await findLease()), old.pid, 'clocks that differ make nobody lose the lease')

    await locker.query('begin; lock table trades in share mode')
    await buy()
    const isWaiting = `application_name like '% indexer %' and wait_event_type = 'Lock'`
    await until(() => countSessions(old.pid, isWaiting), Boolean, 'its batch waits in the middle of its transaction')
    old.signal('SIGSTOP')
    const stopped = performance.now()
    const { left } = await read<{ left: number }>(
      'select extract(epoch from expires_at - clock_timestamp())::float8 as left from indexer_lease',
    )
    t.ok(left < 15, `it loses the lease after ${left} s`)
    await locker.query('rollback')
    await until(
      () =>
        countSessions(
          old.pid,
          `application_name like '% indexer %' and backend_xid is not null and wait_event = 'ClientRead'`,
        ),
      Boolean,
      'its session waits for it, and keeps the transaction and the apply lock',
    )
    await until(findLease, (lease) => pidOf(lease) === standby.pid, 'the standby leads')
    const seconds = (performance.now() - stopped) / 1_000
    // On a machine with nothing else to do: at most a second after that.
    t.comment({ seconds })
    await until(countTrades, (trades) => trades === 2, 'what was under way is indexed by the new leader')
    await buy()
    await until(countTrades, (trades) => trades === 3, 'and so is what comes next')

    const lease = await findLease()
    const since = await read<{ now: Date }>('select clock_timestamp() as now')
    old.signal('SIGCONT')
    await until(
      () => countSessions(old.pid, `application_name like '% lease %' and query_start > '${since.now.toISOString()}'`),
      Boolean,
      'the old one asks for the lease',
    )
    await buy()
    await until(countTrades, (trades) => trades === 4, 'the new leader goes on')
    t.match(await findLease(), { token: lease.token, holder: lease.holder }, 'and is not disturbed')
    t.equal(await countSessions(old.pid, `application_name like '% indexer %' and backend_xid is not null`), 0)

    const audit = spawnSync(process.execPath, ['scripts/audit.ts'], {
      cwd: ROOT,
      env: { PATH: process.env.PATH, ...env },
      encoding: 'utf8',
    })
    t.equal(audit.status, 0, audit.stdout + audit.stderr)

    await standby.kill()
    await until(findLease, (found) => pidOf(found) === old.pid, 'it takes over from one that was killed')
    await buy()
    await until(countTrades, (trades) => trades === 5, 'and indexes')
  },
)
