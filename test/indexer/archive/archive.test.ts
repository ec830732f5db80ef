import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { sql } from 'kysely'
import S3rver from 's3rver'
import t, { type Test } from 'tap'
import { type Address, parseEther } from 'viem'
import { audit } from '../../../audit/audit.ts'
import type { Db } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { archive, planArchive } from '../../../indexer/archive/archive.ts'
import { listEntries } from '../../../indexer/archive/entries.ts'
import { type ArchivePlace, openPlace } from '../../../indexer/archive/open-place.ts'
import { readPart } from '../../../indexer/archive/parquet.ts'
import { restore } from '../../../indexer/archive/restore.ts'
import { runThinning, thinCandles } from '../../../indexer/archive/thin.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { syncTransaction } from '../../../indexer/engine/sync.ts'
import { modules } from '../../../indexer/modules.ts'
import { makeActions } from '../../support/actors.ts'
import { createTestApp, testConfig } from '../../support/app.ts'
import { createClient } from '../../support/client.ts'
import { createTestDatabase } from '../../support/database.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { playOldMarket, WIDTH } from '../fixtures/old-market.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const DAY = 86_400
const market = await playOldMarket(t)
const { db, before, test } = market
const [, ann, bob, eve] = test.accounts as [Address, Address, Address, Address]
const whole = await readTables(db)

interface Run {
  place: ArchivePlace
  onProgress?: (line: string) => void
}

const run = ({ place, onProgress = () => {} }: Run) => archive({ db, place, before, proofs: false, onProgress })
const inFolder = (t: Test) => {
  const folder = t.testdir({})
  return { folder, place: openPlace(folder, test.config) }
}
const listArchived = async () =>
  (await listEntries(db)).flatMap(({ name, state }) => (state === 'archived' ? [name] : []))

async function bringBack(place: ArchivePlace): Promise<void> {
  for (const name of (await listArchived()).reverse()) await restore({ db, place, name, onProgress: () => {} })
}

async function findDifferences(of: Db = db): Promise<string[]> {
  const lines: string[] = []
  await audit({ db: of, chain: test.chain, contracts: test.contracts, onDifference: (line) => lines.push(line) })
  return lines
}

const count = async (table: string) =>
  (await sql<{ count: number }>`select count(*) as count from ${sql.table(table)}`.execute(db)).rows[0]!.count

t.test('old partitions are the oldest ones, without what a reorg or a figure may need', async (t) => {
  const names = ({ entries }: Awaited<ReturnType<typeof planArchive>>) => entries.map(({ name }) => name)
  const plan = await planArchive(db, { before, proofs: false })
  t.strictSame(names(plan), ['trades_from_0', 'trades_from_16', 'candles_from_1788480000', 'candles_from_1791072000'])
  t.match(plan.kept, [
    /^trades_from_32 stays: a reorg/,
    /^candles_from_\d+ stays: it has rows that are not old enough$/,
  ])
  const all = await planArchive(db, { before: before + 1_000 * DAY, proofs: false })
  t.match(all.kept, [/^trades_from_32 stays: a reorg/, /^candles_from_\d+ stays: it reaches into the 31 days/])
  t.strictSame(names(await planArchive(db, { before: 0, proofs: false })), [])
  await sql`update chain_state set unproven = '{[20,21)}'`.execute(db)
  t.match((await planArchive(db, { before, proofs: true })).kept, [
    /^trades_from_16 stays: its blocks are not proven/,
    /./,
  ])
  await sql`update chain_state set unproven = '{}'`.execute(db)
})

for (const kind of ['a folder', 'a bucket'] as const) {
  t.test(`partitions are archived to ${kind}, and come back row by row`, async (t) => {
    const place = kind === 'a folder' ? inFolder(t).place : await openBucket(t)
    t.teardown(() => place.close())
    t.strictSame(await findDifferences(), [], 'before')
    const trades = await count('trades')
    const { partitions, rows } = await run({ place })
    const left = { trades: await count('trades'), candles: await count('candles') }
    t.strictSame(
      [partitions, await listArchived()],
      [4, ['trades_from_0', 'trades_from_16', 'candles_from_1788480000', 'candles_from_1791072000']],
    )
    t.ok(left.trades > 0 && left.trades < trades && rows > trades - left.trades)
    t.strictSame(await findDifferences(), [], 'while archived')
    t.strictSame(await run({ place }), { partitions: 0, rows: 0, bytes: 0 }, 'another run has nothing to do')

    // Not the newest one: its trades are older than archived ones.
    const lines: string[] = []
    const archived = await count('trades')
    await restore({ db, place, name: 'trades_from_0', onProgress: (line) => lines.push(line) })
    const loaded = Number(await count('trades')) - Number(archived)
    t.ok(lines.includes(`trades_from_0: loaded ${loaded} of ${loaded} rows`), 'the progress is reported', { lines })
    t.strictSame(await findDifferences(), [], 'with a part restored')
    await bringBack(place)
    t.strictSame(diffTables(await readTables(db), whole), [], 'every row is back')
    t.strictSame(await findDifferences(), [], 'after the restore')
    t.strictSame([await count('archives'), await count('archived_tokens'), await count('archived_pairs')], [0, 0, 0])
  })
}

async function openBucket(t: Test): Promise<ArchivePlace> {
  const directory = t.testdir({})
  const settings = { port: 0, address: '127.0.0.1', silent: true, directory, configureBuckets: [{ name: 'archives' }] }
  const server = new S3rver(settings)
  const { port } = await server.run()
  t.teardown(() => server.close())
  const keys = { S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' }
  const config = testConfig({ S3_BUCKET: 'uploads', S3_ENDPOINT: `http://127.0.0.1:${port}`, ...keys })
  return openPlace('s3://archives/slipway/', config)
}

t.test('files name addresses, and hold amounts as text', async (t) => {
  const { folder, place } = inFolder(t)
  await run({ place })
  const rows = []
  for await (const group of readPart(await readFile(join(folder, 'trades_from_16/part-00000.parquet'))))
    rows.push(...group)
  const stored = [...whole.get('readable_trades')!.values()].filter(({ block_number: block }) => (block as number) < 32)
  const first = rows.find(({ token }) => token === market.open)!
  const same = stored.find((row) => row.block_number === first.block_number && row.log_index === first.log_index)!
  t.match(first, {
    token: same.token,
    launchpad: same.launchpad,
    quote: same.quote_token,
    trader: same.trader,
    tx_hash: same.tx_hash,
    token_amount: same.token_amount,
    value_usd: same.value_usd,
  })
  t.type(first.token_amount, 'string')
  await bringBack(place)
})

t.test('a run that ends at any step is continued by the next one', async (t) => {
  const { place } = inFolder(t)
  const ended = new Error('the process has ended')
  const lines: string[] = []
  for (let step = 1; ; step++) {
    let left = step
    const onProgress = (line: string) => {
      lines.push(line)
      if (--left === 0) throw ended
    }
    const outcome = await run({ place, onProgress }).catch((error: unknown) => error)
    // Until the swap, and after it, no row is lost and no figure differs.
    t.strictSame(await findDifferences(), [], `step ${step}`)
    if (outcome !== ended) break
  }
  for (const expected of ['wrote', 'summed up', 'read back', 'archived'])
    t.ok(lines.some((line) => line.includes(expected)))
  t.equal((await listArchived()).length, 4)
  await bringBack(place)
  t.strictSame(diffTables(await readTables(db), whole), [])
})

t.test('rows are not dropped if a file is not read back as it was written', async (t) => {
  const { place } = inFolder(t)
  const damaged = {
    ...place,
    read: async (name: string) => {
      const bytes = await place.read(name)
      if (name.endsWith('.parquet')) bytes[bytes.length >> 1]! ^= 1
      return bytes
    },
  }
  await t.rejects(run({ place: damaged }), { name: 'ArchiveMismatchError', message: /checksum differs/ })
  t.strictSame(diffTables(await readTables(db), whole), [])
  t.strictSame(await listArchived(), [])
  await run({ place })
  await bringBack(place)
  t.strictSame(diffTables(await readTables(db), whole), [])
})

t.test('a changed file or manifest is not restored', async (t) => {
  const { folder, place } = inFolder(t)
  await run({ place })
  const archived = await readTables(db)
  for (const file of ['part-00000.parquet', 'manifest.json']) {
    const path = join(folder, 'trades_from_16', file)
    const bytes = await readFile(path)
    const changed = Buffer.from(bytes)
    changed[changed.length >> 1]! ^= 1
    await writeFile(path, changed)
    const restoring = restore({ db, place, name: 'trades_from_16', onProgress: () => {} })
    await t.rejects(restoring, { name: 'ArchiveMismatchError', message: /checksum differs/ })
    t.strictSame(diffTables(await readTables(db), archived), [])
    await writeFile(path, bytes)
  }
  await t.rejects(restore({ db, place, name: 'trades_from_32', onProgress: () => {} }), { message: /is not archived/ })
  await t.rejects(restore({ db, place, name: 'trades_from_1', onProgress: () => {} }), { message: /no partition/ })
  await bringBack(place)
})

t.test('lists and charts end at the boundary, and totals stay', async (t) => {
  const { place } = inFolder(t)
  const { app } = await createTestApp({ config: test.config, services: { db } })
  t.teardown(() => app.close())
  const get = async (url: string) =>
    (await createClient(app)<Record<string, unknown>>({ method: 'GET', url })).body.data
  // The risk depends on the trades at the launch, and a process keeps it until the token changes.
  const getToken = async (address: string) => {
    const { risk: _, suspicious: __, ...others } = (await get(`/tokens/${address}`))!
    return others
  }
  // Sales are counted among the trades that are here.
  const getLeaders = async () =>
    ((await get('/leaderboard?period=all'))!.items as { winRatePct: unknown }[]).map(
      ({ winRatePct: _, ...others }) => others,
    )
  const firstBuyers = async () => (await app.inject(`/tokens/${market.open}/first-buyers`)).statusCode
  const read = async () => ({
    token: await getToken(market.open),
    pooled: await getToken(market.graduated),
    holders: await get(`/tokens/${market.open}/holders`),
    profile: await get(`/profiles/${eve}`),
    portfolio: await get(`/portfolio?wallet=${bob}`),
    leaderboard: await getLeaders(),
    stats: await get('/stats'),
    daily: await get(`/tokens/${market.open}/chart?interval=1d`),
    recent: await get(`/tokens/${market.open}/chart?interval=1h&limit=24`),
  })
  const earlier = await read()
  const list = async () => (await get(`/tokens/${market.open}/trades?limit=100`))!.items as { blockNumber: number }[]
  const trades = await list()
  await run({ place })
  t.strictSame(await read(), earlier)
  t.equal(await firstBuyers(), 422, 'who bought at the launch is archived')
  t.strictSame(
    await list(),
    trades.filter(({ blockNumber }) => blockNumber >= 32),
  )

  const stop = 1_793_664_000
  const chart = async (query: string) =>
    (await get(`/tokens/${market.open}/chart?${query}`))!.candles as { time: number; open: number; trades: number }[]
  const across = await chart(`interval=4h&from=${stop - 5 * DAY}&to=${stop + 2 * DAY}`)
  t.equal(across[0]?.time, stop, 'the series begins where candles do')
  t.equal(across.length, 13)
  const { rows } = await sql<{ close: number }>`select close from candles
    where token_id = (select id from tokens where address = ${market.open}) and resolution = 86400 and bucket < ${stop}
    order by bucket desc limit 1`.execute(db)
  t.equal(across[0]?.open, rows[0]?.close, 'at the price of the last archived trade')
  t.strictSame(await chart(`interval=1h&to=${stop - DAY}`), [], 'nothing in what is archived')
  const udf = `/integrations/udf/history?symbol=${market.open}&resolution=60&from=${stop - 9 * DAY}`
  const bars = async (to: number) => (await app.inject(`${udf}&to=${to}`)).json() as { s: string; t: number[] }
  t.equal((await bars(stop - 8 * DAY)).s, 'no_data')
  t.equal((await bars(stop + DAY)).t[0], stop)
  await bringBack(place)
  t.strictSame(await read(), earlier)
  t.equal(await firstBuyers(), 200)
  t.strictSame(await list(), trades)
})

t.test('receipts of archived trades are known, and late rows in an archived range are refused', async (t) => {
  const { place } = inFolder(t)
  await run({ place })
  const { receipt, wallets } = market.batch
  const services = { db, chain: test.chain, getContracts: async () => test.contracts }
  const sync = syncTransaction(services, { txHash: receipt.transactionHash, wallet: wallets[0]!, kind: 'buy' })
  await t.rejects(sync, new AppError('TRANSACTION_ALREADY_INDEXED'))
  const late = sql`insert into trades select (jsonb_populate_record(t, '{"block_number": 3}')).* from trades t limit 1`
  await t.rejects(late.execute(db), { message: /violates check constraint "archived_restore_it_first/ })
  await bringBack(place)
})

t.test('a rebuild from the logs brings archived rows back once', async (t) => {
  const { place } = inFolder(t)
  await run({ place })
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), whole), [])
  t.strictSame([await count('archives'), await count('archived_tokens'), await count('archived_pairs')], [0, 0, 0])
  t.strictSame(await findDifferences(), [])
})

t.test('rows are not dropped if the table has changed since they were written', async (t) => {
  const { place } = inFolder(t)
  const onProgress = (line: string) =>
    line.includes('read back') && removed.push(sql`delete from trades where block_number = 13`.execute(db))
  const removed: unknown[] = []
  await t.rejects(run({ place, onProgress }), {
    name: 'ArchiveMismatchError',
    message: /has changed while it was archived/,
  })
  await Promise.all(removed)
  t.strictSame(await listArchived(), [])
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), whole), [])
})

t.test('old candles shorter than an hour are removed in the background, and nothing else', async (t) => {
  const leaving = new AbortController()
  const { place } = inFolder(t)
  const thinned: string[] = []
  const ready = Promise.withResolvers<void>()
  const onThinned = (name: string) => thinned.push(name) === 2 && ready.resolve()
  const shared = { db, isReady: () => true, onThinned, onError: ready.reject, signal: leaving.signal }
  await runThinning({ ...shared, days: null })
  t.strictSame(thinned, [], 'without the setting every candle stays')
  const running = runThinning({ ...shared, days: 31 })
  await ready.promise
  leaving.abort()
  await running
  t.strictSame(thinned, ['candles_from_1788480000', 'candles_from_1791072000'])
  t.equal(await thinCandles(db, 31), undefined, 'once')
  t.strictSame(await findDifferences(), [])
  const left = await readTables(db)
  const lost = [...whole.get('readable_candles')!].filter(([key]) => !left.get('readable_candles')!.has(key))
  t.ok(lost.length > 0)
  for (const [, { resolution }] of lost) t.ok((resolution as number) < 3_600)
  // Every price that was known is still found: the last candle of each length stays.
  const { rows } = await sql`select token_id, resolution from candles_from_1788480000 group by 1, 2`.execute(db)
  t.equal(rows.length, 2 * 7)

  const { rows: archivedRows } = await run({ place })
  t.ok(archivedRows > 0)
  t.strictSame(await findDifferences(), [], 'archived after that')
  await bringBack(place)
  t.strictSame(diffTables(await readTables(db), left), [])
  t.equal(await thinCandles(db, 31), undefined, 'known after the restore')
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), whole), [], 'a rebuild brings them back')
  t.equal(await thinCandles(db, 31), 'candles_from_1788480000', 'and they are removed again')
  await reindex(db, modules)
})

t.test('a reorg undoes trades of wallets whose older trades are archived', async (t) => {
  const { place } = inFolder(t)
  const act = makeActions(test.deployed)
  await run({ place })
  await test.node.run(act.sell(bob, market.open, parseEther('500')), act.buy(ann, market.open, parseEther('0.1')))
  await test.node.run(act.swapSell(bob, market.graduated, parseEther('100')))
  await market.index()
  t.strictSame(await findDifferences(), [], 'after new trades')
  await test.node.reorg(2, [{ action: act.buy(bob, market.open, parseEther('0.3')), block: 0 }])
  await test.node.mine()
  await market.index()
  t.strictSame(await findDifferences(), [], 'after the reorg')
  await bringBack(place)
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  await fresh.db.updateTable('chain_state').set({ block_partition: WIDTH }).execute()
  t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [], 'as if nothing had been archived')
})
