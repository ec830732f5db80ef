import t from 'tap'
import { type Address, parseEther, zeroAddress } from 'viem'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { indexToHead, indexWithoutBackfill } from '../../indexer/fixtures/indexing.ts'
import { startFlap } from '../../indexer/fixtures/launchpads/flap.ts'
import { dollars } from '../../indexer/fixtures/launchpads/four-meme.ts'
import { diffTables, readTables } from '../../indexer/fixtures/tables.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { approve } from '../../support/launchpads/venue.ts'
import { createRandom } from '../../support/seeded-random.ts'

t.setTimeout(0)

const ROUNDS = 300
/** The status of a token with a pool. */
const GRADUATED = 4
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

t.test(`a random market on Flap, with reorgs, is indexed as by a fresh database (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const pools = SEED % 3 === 0 ? 'uniswap' : 'pancake'
  const run = await startFlap(t, { pools, supplyFirst: SEED % 2 === 0 })
  const { flap, v3, actions, usdc, node, accounts, db, test, deployed, sync, index, findDifferences } = run
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const wallets = accounts.slice(1, 5) as Address[]
  const tokens: { token: Address; quote: Address }[] = []
  const amountOf = (quote: Address) =>
    quote === zeroAddress ? parseEther(String(1 + random(20))) / 10n : dollars(100 * (1 + random(40)))
  const terms = { r: parseEther('6000'), h: 0n, k: 0n, threshold: parseEther('800000000') }
  const create = async () => {
    const quote = pick([zeroAddress, zeroAddress, usdc])
    const migrator = pick(['v2', 'v3', 'v3', 'infinity'] as const)
    const choice = { quote, migrator, taxBps: pick([0n, 300n]), value: pick([0n, amountOf(quote)]) }
    const { token, receipt } = await flap.createToken(pick(wallets), { ...choice, ...(quote === usdc && { terms }) })
    tokens.push({ token, quote })
    // Some receipts are synced ahead of the indexer.
    if (random(100) < 40) await sync(receipt.transactionHash, receipt.from as Address, 'create', token)
  }
  await create()
  await create()

  /** Transactions of one block: some revert, and have no effect. */
  const play = async (): Promise<Action[]> => {
    const { token, quote } = pick(tokens)
    const from = pick(wallets)
    const some = amountOf(quote)
    const tokensOf = parseEther(String(1 + random(30_000_000)))
    const { pool, status } = await flap.getState(token)
    const paired = quote === zeroAddress ? deployed.weth : quote
    const order = { pool: pool.toLowerCase() as Address, recipient: pick(wallets) }
    if (status !== GRADUATED)
      return pick([
        () => [flap.actions.buy(from, token, some, { quote, recipient: pick(wallets) })],
        () => [approve(from, token, flap.address, tokensOf), flap.actions.sell(from, token, tokensOf)],
        () => [flap.actions.buy(from, token, 20n * some, { quote }), actions.swapBuy(from, token, parseEther('0.3'))],
      ])()
    return pick([
      () => [actions.swapBuy(from, token, parseEther('0.3'), pick(wallets))],
      () => [approve(from, token, deployed.uniswapRouter, tokensOf), actions.swapSell(from, token, tokensOf)],
      () => [
        ...(quote === zeroAddress ? [v3.actions.wrap(from, some), v3.actions.approve(from, paired, some)] : []),
        v3.actions.swap(from, { ...order, tokenIn: paired, amountIn: some }),
      ],
      () => [
        approve(from, token, v3.trader, tokensOf),
        v3.actions.swap(from, { ...order, tokenIn: token, amountIn: tokensOf }),
      ],
    ])()
  }
  let reorgs = 0
  for (let round = 0; round < ROUNDS; round++) {
    if (random(100) < 15) await create()
    const plays = [await play(), await play(), await play(), await play(), await play()]
    await node.send(plays.flat())
    // The windows of an hour and of a day end after some rounds.
    await node.mine(pick([1, 5, 300, 4_000, 30_000]))
    if (random(100) < 40) await index()
    if (random(100) < 12) {
      // What was in these blocks is not mined again.
      await node.reorg(1 + random(3))
      reorgs += 1
      await index()
    }
  }
  await index()
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  const expected = await readTables(fresh.db)
  const tables = await readTables(db)
  t.strictSame(diffTables(tables, expected).slice(0, 20), [])
  t.strictSame((await findDifferences()).slice(0, 20), [])
  const plain = await createTestDatabase(t)
  await indexWithoutBackfill(plain.db, test)
  t.strictSame(diffTables(await readTables(plain.db), expected).slice(0, 20), [], 'without a backfill')
  await reindex(db, modules)
  t.strictSame(diffTables(await readTables(db), expected).slice(0, 20), [], 'after a rebuild')
  const rows = [...(tables.get('readable_trades')?.values() ?? [])]
  const all = [...(tables.get('tokens')?.values() ?? [])]
  const venues = Object.groupBy(all, ({ venue }) => String(venue))
  t.comment(
    `${rows.length} trades, ${reorgs} reorgs, ${Object.entries(venues).map(([venue, of]) => `${venue} ${of!.length}`)}`,
  )
  t.ok(rows.some(({ side }) => side === 'buy') && rows.some(({ side }) => side === 'sell') && all.length > 1)
})
