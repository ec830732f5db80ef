import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import type { Test } from 'tap'
import { type Hex, parseEther } from 'viem'
import { account, calls, createdToken, type TestChain } from '../../acceptance/support/chain.ts'
import { type Service, startService, until } from '../../acceptance/support/service.ts'
import { signIn } from '../../acceptance/support/sign-in.ts'
import type { PatroniCluster } from './start-patroni.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const WRITERS = 3
const WRITE_PAUSE_MS = 20
const TRADE_PAUSE_MS = 100

export interface Accepted {
  id: string
  /** When the request was sent, and answered; of performance.now(). */
  sent: number
  answered: number
}

/** A service on a cluster, on which wallets write comments while others trade. */
export interface Load {
  service: Service
  token: Hex
  jwt: string
  /** The comments that were answered with a 2xx. */
  accepted: Accepted[]
  /** Numbers of responses by status. */
  statuses: Record<number, number>
  /** Trades that are on the chain. */
  trades(): number
  /** Comments that the primary has. */
  readComments(): Promise<Set<string>>
  countTrades(): Promise<number>
  readCheckpoint(): Promise<number>
  /** Seconds from a failure until the first write that is accepted after one has failed. */
  untilWritten(since: number): Promise<number>
  /** Stops writing and trading, and resolves when the index has all trades. */
  finish(): Promise<void>
  /** The output of npm run audit, which must find no difference. */
  audit(): Promise<{ code: number | null; output: string }>
}

export interface LoadOptions {
  chain: TestChain
  databaseUrl: string
  env?: Record<string, string>
}

export async function startLoad(t: Test, cluster: PatroniCluster, options: LoadOptions): Promise<Load> {
  const { chain, databaseUrl } = options
  const env = { ...chain.env, LOG_LEVEL: 'warn', LOG_FORMAT: 'json', ...options.env }
  const service = await startService(t, { env, databaseUrl })
  const receipt = await chain.send(account(0), calls.create(chain.contracts, 'Cat', 'CAT', parseEther('0.1')))
  const token = createdToken(receipt)
  const hasToken = async () => (await service.request('GET', `/tokens/${token}`)).status
  await until(hasToken, (status) => status === 200, 'the token is indexed')
  const wallets = Array.from({ length: WRITERS }, (_, index) => account(index + 1))
  const jwts = await Promise.all(
    wallets.map((one) => signIn(service, '', { wallet: one.address.toLowerCase() as Hex, account: one })),
  )

  const accepted: Accepted[] = []
  const statuses: Record<number, number> = {}
  const failures: number[] = []
  let trades = 1
  let stopped = false
  const write = async (jwt: string, writer: number) => {
    for (let count = 0; !stopped; count++) {
      const sent = performance.now()
      const body = { text: `comment ${count} of ${writer}` }
      const answer = await service.request('POST', `/tokens/${token}/comments`, { token: jwt, body })
      statuses[answer.status] = (statuses[answer.status] ?? 0) + 1
      // Anything else is a fault of this test.
      if (answer.status >= 400 && answer.status < 500) throw new Error(JSON.stringify(answer.body))
      if (answer.status >= 500) failures.push(sent)
      if (answer.status < 300) accepted.push({ id: String(answer.body.data.id), sent, answered: performance.now() })
      await sleep(WRITE_PAUSE_MS)
    }
  }
  const trade = async () => {
    const trader = account(WRITERS + 1)
    while (!stopped) {
      await chain.send(trader, calls.buy(chain.contracts, token, trader.address, parseEther('0.0001')))
      trades++
      await sleep(TRADE_PAUSE_MS)
    }
  }
  const running = Promise.all([...jwts.map(write), trade()])
  running.catch(() => {})
  const stop = async () => {
    stopped = true
    await running
  }
  t.teardown(stop)

  const query = async <T extends pg.QueryResultRow>(statement: string): Promise<T[]> => {
    const url = (await cluster.findPrimary())?.url
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 5_000 })
    client.on('error', () => {})
    await client.connect()
    return client
      .query<T>(statement)
      .then(({ rows }) => rows)
      .finally(() => client.end())
  }
  const countTrades = async () => Number((await query<{ n: string }>('select count(*) as n from trades'))[0]?.n)
  return {
    service,
    token,
    jwt: jwts[0] as string,
    accepted,
    statuses,
    trades: () => trades,
    readComments: async () =>
      new Set((await query<{ id: string }>('select id from comments')).map(({ id }) => String(id))),
    countTrades,
    readCheckpoint: async () =>
      Number((await query<{ n: string }>('select checkpoint_number as n from chain_state'))[0]?.n),
    untilWritten: async (since) => {
      const first = await until(
        async () => {
          const failed = failures.find((sent) => sent >= since) ?? Number.POSITIVE_INFINITY
          return accepted.find(({ sent }) => sent > failed)
        },
        (one) => one !== undefined,
        'a write is accepted again',
      )
      return ((first as Accepted).answered - since) / 1_000
    },
    finish: async () => {
      await stop()
      await until(countTrades, (count) => count === trades, `all ${trades} trades are indexed`)
    },
    audit: async () => {
      const { PATH } = process.env
      const child = spawn(process.execPath, ['scripts/audit.ts'], {
        cwd: ROOT,
        env: { PATH, DATABASE_URL: databaseUrl, ...chain.env },
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const [output] = await Promise.all([text(child.stdout), once(child, 'close')])
      return { code: child.exitCode, output }
    },
  }
}
