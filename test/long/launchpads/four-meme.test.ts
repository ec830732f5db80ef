import { sql } from 'kysely'
import t from 'tap'
import { type Address, parseEther, toFunctionSelector, zeroAddress } from 'viem'
import { Chain } from '../../../chain/rpc/client.ts'
import { retryReads } from '../../../indexer/engine/reads/retry-reads.ts'
import { reindex } from '../../../indexer/engine/reindex.ts'
import { modules } from '../../../indexer/modules.ts'
import { indexToHead, indexWithoutBackfill } from '../../indexer/fixtures/indexing.ts'
import { dollars, startFourMeme } from '../../indexer/fixtures/launchpads/four-meme.ts'
import { diffTables, readTables } from '../../indexer/fixtures/tables.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import { failure, on, startHostileNode } from '../../support/hostile/node.ts'
import { approve } from '../../support/launchpads/venue.ts'
import { createRandom } from '../../support/seeded-random.ts'

t.setTimeout(0)

const ROUNDS = 300
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)
const reads = ['_tokenInfos(address)', 'getPair(address,address)'].map(toFunctionSelector)

t.test(`a random market on four.meme, with reorgs, is indexed as by a fresh database (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const run = await startFourMeme(t, { migratesAtOnce: SEED % 2 === 0 })
  const { fourMeme, actions, usdc, node, accounts, db, test, contracts, deployed, sync, findDifferences } = run
  const hostile = await startHostileNode(t, test.anvil.url)
  const chain = new Chain([hostile.url], { retries: 0, timeoutMs: 60_000, readPatienceMs: 0 })
  const index = () => indexToHead(db, { ...test, chain })
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const wallets = accounts.slice(1, 5) as Address[]
  const tokens: { token: Address; quote: Address }[] = []
  const amountOf = (quote: Address) =>
    quote === zeroAddress ? parseEther(String(1 + random(60))) / 10n : dollars(1_000 * (1 + random(2_000)))
  const create = async () => {
    const quote = pick([zeroAddress, usdc])
    const target = quote === usdc ? dollars(4_000_000) : parseEther('18')
    const value = pick([0n, amountOf(quote)])
    const { token, receipt } = await fourMeme.createToken(pick(wallets), { quote, target, value })
    tokens.push({ token, quote })
    // Some receipts are synced ahead of the indexer.
    const creator = receipt.from as Address
    if (random(100) < 40) await sync(receipt.transactionHash, creator, 'create', token)
  }
  await create()
  await create()

  /** Transactions of one block: some revert, and have no effect. */
  const play = (): Action[] => {
    const { token, quote } = pick(tokens)
    const from = pick(wallets)
    const some = amountOf(quote)
    const tokensOf = parseEther(String(1 + random(30_000_000)))
    return pick([
      () => [fourMeme.actions.buy(from, token, some, { quote, recipient: pick(wallets) })],
      () => [approve(from, token, fourMeme.address, tokensOf), fourMeme.actions.sell(from, token, tokensOf)],
      () => [fourMeme.actions.createPair(from, token), fourMeme.actions.graduate(from, token)],
      () => [fourMeme.actions.buy(from, token, 20n * some, { quote })],
      () => [actions.swapBuy(from, token, parseEther('0.3'), pick(wallets))],
      () => [approve(from, token, deployed.uniswapRouter, tokensOf), actions.swapSell(from, token, tokensOf)],
    ])()
  }
  let [reorgs, unread] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    if (random(100) < 12) await create()
    await node.send([...play(), ...play(), ...play(), ...play(), ...play()])
    // The windows of an hour and of a day end after some rounds.
    await node.mine(pick([1, 5, 300, 4_000, 30_000]))
    if (random(100) < 30) {
      hostile.follow(
        on('eth_call', ({ params }) =>
          reads.includes((params as [{ data: string }])[0].data.slice(0, 10) as never)
            ? failure(-32601, 'not now')
            : undefined,
        ),
      )
    } else hostile.follow()
    if (random(100) < 40) await index()
    if (random(100) < 12) {
      // What was in these blocks is not mined again.
      await node.reorg(1 + random(3))
      reorgs += 1
      await index()
    }
  }
  hostile.follow()
  await index()
  await sql`update contract_reads set attempted_at = now() - interval '2 days'`.execute(db)
  unread += await retryReads({ ...{ db, chain, contracts }, fence: async () => {}, log: { warn: () => {} } })
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
  const all = [...(tables.get('readable_token_figures')?.values() ?? [])]
  const graduated = all.filter(({ status }) => status === 'graduated').length
  t.comment(
    `${rows.length} trades of ${all.length} tokens, ${graduated} graduated, ${reorgs} reorgs, ${unread} read late`,
  )
  t.ok(rows.some(({ side }) => side === 'buy') && rows.some(({ side }) => side === 'sell') && all.length > 1)
})
