import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import t, { type Test } from 'tap'
import { type Hex, parseEther } from 'viem'
import { waitUntil } from '../support/waits/wait-until.ts'
import { account, calls, createdToken, startChain, type TestChain } from './support/chain.ts'
import { followRoom, type RoomFollower } from './support/follower.ts'
import { noOwnServers, type OwnServer, startPostgres, startRedis } from './support/servers.ts'
import { startIndexerProcess, startService } from './support/service.ts'
import { signIn } from './support/sign-in.ts'

t.setTimeout(600_000)

const [creator, trader, other] = [account(1), account(2), account(3)]
/** For a machine with more to do than it can. */
const PATIENCE_MS = 120_000

/** Two replicas of the API, two indexers, and servers that can be stopped; a token is launched. */
async function startEverything(t: Test) {
  const [chain, redis, postgres] = await Promise.all([startChain(t), startRedis(t), startPostgres(t)])
  const env = { ...chain.env, PUBLIC_URL: 'http://replicas.example', REDIS_URL: redis.url, LOG_LEVEL: 'silent' }
  const startApi = () => startService(t, { env: { ...env, ROLE: 'api' }, databaseUrl: postgres.url })
  const first = await startApi()
  const second = await startApi()
  const indexers = new Map(
    ['indexer-1', 'indexer-2'].map((name) => [
      name,
      startIndexerProcess(t, { ...env, DATABASE_URL: `${postgres.url}?application_name=${name}` }),
    ]),
  )
  const receipt = await chain.send(creator, calls.create(chain.contracts, 'Cat', 'CAT', parseEther('0.1')))
  const token = createdToken(receipt)
  await until('the token is indexed', async () => (await first.request('GET', `/tokens/${token}`)).status === 200)
  await until('both indexers are there', async () => (await findIndexers(postgres)).names.length === 2)
  return { chain, redis, postgres, first, second, indexers, token }
}

const until = (what: string, isTrue: () => Promise<boolean> | boolean) =>
  waitUntil(what, isTrue, { timeoutMs: PATIENCE_MS, pauseMs: 25 })

async function query<T extends pg.QueryResultRow>({ url }: OwnServer, text: string): Promise<T[]> {
  const client = new pg.Client(url)
  client.on('error', () => {})
  await client.connect()
  try {
    return (await client.query<T>(text)).rows
  } finally {
    await client.end()
  }
}

/** The indexers that are there, by the names of their sessions, and the one that holds the lease. */
async function findIndexers(postgres: OwnServer): Promise<{ names: string[]; leader: string | undefined }> {
  const sessions = await query<{ name: string; leads: boolean }>(
    postgres,
    `select split_part(application_name, ' ', 1) as name,
      bool_or(split_part(application_name, ' ', 3) = (select holder from indexer_lease)) as leads
    from pg_stat_activity where application_name like 'indexer-% lease %' group by 1 order by 1`,
  )
  return { names: sessions.map(({ name }) => name), leader: sessions.find(({ leads }) => leads)?.name }
}

/** The events of a channel in the outbox after a seq, as a client should have received them. */
const readOutbox = async (postgres: OwnServer, room: string, after: number) =>
  (
    await query<{ seq: string; type: string; data: string }>(
      postgres,
      `select seq, type, data from outbox where '${room}' = any(rooms) and seq > ${after} order by seq`,
    )
  ).map(({ seq, type, data }) => ({ seq: Number(seq), type, data: JSON.parse(data) }))

const plain = ({ events }: RoomFollower) => events.map(({ seq, type, data }) => ({ seq, type, data }))
const idsOf = (client: RoomFollower) => client.events.filter(({ type }) => type === 'trade').map(({ data }) => data.id)

/** Trades, one after the other, until it is stopped. Resolves to their hashes. */
function startTrading(chain: TestChain, token: Hex) {
  let isRunning = true
  const hashes: Hex[] = []
  const done = (async () => {
    while (isRunning) {
      const { transactionHash } = await chain.send(
        other,
        calls.buy(chain.contracts, token, other.address, parseEther('0.0001')),
      )
      hashes.push(transactionHash)
      await sleep(30)
    }
  })()
  return {
    hashes,
    stop: async () => {
      isRunning = false
      await done
      return hashes
    },
  }
}

const world = noOwnServers ? undefined : await startEverything(t)

t.test('a trade synced at one replica reaches a socket on the other once', { skip: noOwnServers }, async (t) => {
  const { chain, first, second, token } = world as NonNullable<typeof world>
  const clients = [await followRoom(t, second.url, 'trades'), await followRoom(t, first.url, 'trades')]
  const jwt = await signIn(first, '', { wallet: trader.address, account: trader })
  const receipt = await chain.send(trader, calls.buy(chain.contracts, token, trader.address, parseEther('0.01')))
  const { status } = await first.request('POST', '/buy', { token: jwt, body: { txHash: receipt.transactionHash } })
  t.equal(status, 200)
  // A later trade ends the wait: what comes twice would have come before it.
  const next = await chain.send(trader, calls.buy(chain.contracts, token, trader.address, parseEther('0.01')))
  const has = (client: RoomFollower) => client.events.some(({ data }) => data.txHash === next.transactionHash)
  await until('both receive both trades', () => clients.every(has))
  const { body } = await second.request('GET', `/tokens/${token}/trades?limit=2`)
  for (const client of clients) {
    t.same(
      client.events.map(({ type, data }) => [type, data]),
      body.data.items.reverse().map((item: object) => ['trade', item]),
    )
    body.data.items.reverse()
    t.same(client.problems, [])
  }
})

t.test('killing the active indexer loses and duplicates no event', { skip: noOwnServers }, async (t) => {
  const { chain, first, second, postgres, indexers, token } = world as NonNullable<typeof world>
  const clients = await Promise.all([first, second].map(({ url }) => followRoom(t, url, 'trades')))
  const trading = startTrading(chain, token)
  await until('trades are received', () => clients.every(({ events }) => events.length >= 3))
  const { leader } = await findIndexers(postgres)
  await indexers.get(leader as string)?.kill()
  const before = trading.hashes.length
  await until('another one leads', async () => {
    const now = await findIndexers(postgres)
    return now.leader !== undefined && now.leader !== leader
  })
  await until('trades go on', () => trading.hashes.length >= before + 3)
  await checkAll(t, { trading: await trading.stop(), clients, postgres })
})

/** All of these trades are in the database once, and each client holds the outbox's events: those, once and in order. */
async function checkAll(
  t: Test,
  { trading, clients, postgres }: { trading: readonly Hex[]; clients: readonly RoomFollower[]; postgres: OwnServer },
) {
  const last = trading.at(-1)
  const has = ({ events }: RoomFollower) => events.some(({ data }) => data.txHash === last)
  await until('everybody has the last trade', () => clients.every(has))
  const rows = await query<{ tx_hash: Hex }>(
    postgres,
    'select tx_hash from readable_trades order by block_number, log_index',
  )
  const mine = new Set(trading)
  t.same(
    rows.map(({ tx_hash }) => tx_hash).filter((hash) => mine.has(hash)),
    trading,
    'every trade is in the database once',
  )
  for (const client of clients) {
    t.same(
      plain(client),
      await readOutbox(postgres, 'trades', client.start ?? 0),
      'the received events are those of the outbox',
    )
    t.equal(new Set(idsOf(client)).size, idsOf(client).length)
    t.same(client.problems, [])
  }
}

t.test(
  'after outages of Redis and PostgreSQL every client has received all events of the outbox',
  { skip: noOwnServers },
  async (t) => {
    const { chain, first, second, redis, postgres, token } = world as NonNullable<typeof world>
    const clients = await Promise.all([first, first, second].map(({ url }) => followRoom(t, url, 'trades')))
    const trading = startTrading(chain, token)
    const goOn = async (trades: number) => {
      const goal = trading.hashes.length + trades
      await until('trades go on', () => trading.hashes.length >= goal)
    }
    const hearAll = async () => {
      const last = trading.hashes.at(-1)
      await until('all are received', () =>
        clients.every(({ events }) => events.some(({ data }) => data.txHash === last)),
      )
    }
    await redis.stop()
    await goOn(3)
    await hearAll()
    clients[0]?.disconnect()
    await redis.start()
    await goOn(3)
    await postgres.stop()
    clients[2]?.disconnect()
    await goOn(5)
    await postgres.start()
    await goOn(2)
    clients[1]?.disconnect()
    await hearAll()
    await checkAll(t, { trading: await trading.stop(), clients, postgres })
    t.ok(
      clients.every(({ comebacks }) => comebacks > 0),
      'each of them came back',
    )
  },
)

t.test('every socket receives a retraction for each trade that a reorg undoes', { skip: noOwnServers }, async (t) => {
  const { chain, first, second, postgres, token } = world as NonNullable<typeof world>
  const clients = await Promise.all([first, second].map(({ url }) => followRoom(t, url, 'trades')))
  const buy = () => chain.send(trader, calls.buy(chain.contracts, token, trader.address, parseEther('0.01')))
  const hashes = [(await buy()).transactionHash, (await buy()).transactionHash]
  await until('they are received', () => clients.every(({ events }) => events.length === 2))
  await chain.rpc('anvil_reorg', 2, [])
  const isRetracted = ({ type }: { type: string }) => type === 'trade.retracted'
  await until('they are retracted', () => clients.every(({ events }) => events.filter(isRetracted).length === 2))
  for (const client of clients) {
    const [sent, retracted] = [client.events.slice(0, 2), client.events.slice(2)]
    t.same(
      retracted.map(({ data }) => data.id).sort(),
      sent.map(({ data }) => data.id).sort(),
      'those that were sent, and no others',
    )
    t.same(plain(client), await readOutbox(postgres, 'trades', client.start ?? 0))
    t.same(client.problems, [])
  }
  const left = await query<{ tx_hash: Hex }>(postgres, 'select tx_hash from readable_trades')
  t.notOk(left.some(({ tx_hash }) => hashes.includes(tx_hash)))
})
