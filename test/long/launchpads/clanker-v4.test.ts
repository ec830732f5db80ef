import t from 'tap'
import { type Address, parseEther, zeroAddress } from 'viem'
import { AppError } from '../../../errors.ts'
import { indexToHead } from '../../indexer/fixtures/indexing.ts'
import { startClankerV4 } from '../../indexer/fixtures/launchpads/clanker.ts'
import { diffTables, readTables } from '../../indexer/fixtures/tables.ts'
import type { Action } from '../../support/chain-fixture.ts'
import { createTestDatabase } from '../../support/database.ts'
import type { CreatedV4 } from '../../support/launchpads/clanker-v4.ts'
import { deployQuote } from '../../support/launchpads/quoted.ts'
import { deployFeeHook, type V4Order } from '../../support/launchpads/uniswap-v4.ts'
import { createRandom } from '../../support/seeded-random.ts'

t.setTimeout(0)

const ROUNDS = 300
const SEED = Number(process.env.SEED ?? Date.now() % 1_000_000)

function expectAppError(error: unknown): 0 {
  if (!(error instanceof AppError)) throw error
  return 0
}

t.test(`a random market on Clanker v4, with reorgs, is indexed as by a fresh database (SEED=${SEED})`, async (t) => {
  const random = createRandom(SEED)
  const made: { usdc?: Address } = {}
  const { clanker, venue, node, accounts, index, db, test, sync, findDifferences } = await startClankerV4(
    t,
    async (test) => {
      const usdc = await deployQuote(test, { symbol: 'USDC', decimals: 18, spenders: [] })
      made.usdc = usdc
      return [{ address: usdc, symbol: 'USDC', decimals: 18, usd: { fixed: '1' } }]
    },
  )
  const usdc = made.usdc!
  const hook = await deployFeeHook(test, venue)
  const pick = <T>(list: readonly T[]): T => list[random(list.length)] as T
  const wallets = accounts.slice(1, 5) as Address[]
  for (const wallet of wallets) await node.run(venue.actions.approve(wallet, usdc, 2n ** 200n))
  const tokens: (CreatedV4 & { pairedToken: Address })[] = []
  const create = async () => {
    const pairedToken = pick([venue.weth, venue.weth, zeroAddress, usdc])
    const value = pairedToken === usdc ? 0n : pick([0n, parseEther('0.1'), parseEther('3')])
    const isFirst = random(100) < 50
    const choice = {
      value,
      tokenAdmin: pick(wallets),
      extensionBps: pick([0n, 2_000n]),
      hook: pick([zeroAddress, hook]),
    }
    tokens.push({ ...(await clanker.createToken(pick(wallets), { ...choice, isFirst, pairedToken })), pairedToken })
  }
  await create()
  await create()

  /** Transactions of one block: some revert, and have no effect. */
  const play = (): { actions: Action[]; from: Address; kind: 'buy' | 'sell' } => {
    const { token, key, pairedToken } = pick(tokens)
    const from = pick(wallets)
    const some = parseEther(String(1 + random(50))) / 10n
    const { actions } = venue
    const settle = (orders: V4Order[]) =>
      pick([() => [actions.swapAll(from, ...orders)], () => [actions.swapTogether(from, orders)]])()
    return pick([
      () => {
        const orders = Array.from({ length: 1 + random(2) }, () => ({
          ...{ key, tokenIn: pairedToken, amountIn: some, recipient: pick(wallets), payFirst: random(2) === 0 },
        }))
        const funds =
          pairedToken === venue.weth
            ? [actions.wrap(from, 2n * some), actions.approve(from, venue.weth, 2n * some)]
            : []
        return { from, kind: 'buy' as const, actions: [...funds, ...settle(orders)] }
      },
      () => {
        const sells = [some * 10n ** 6n, some].map((amountIn) => ({
          ...{ key, tokenIn: token, amountIn, payFirst: random(2) === 0, recipient: pick(wallets) },
        }))
        const approved = actions.approve(from, token, some * 10n ** 7n)
        return { from, kind: 'sell' as const, actions: [approved, ...settle(sells)] }
      },
    ])()
  }
  let [reorgs, synced] = [0, 0]
  for (let round = 0; round < ROUNDS; round++) {
    if (random(100) < 15) await create()
    const [one, other] = [play(), play()]
    const hashes = await node.send([...one.actions, ...other.actions])
    await node.mine()
    // Ahead of the indexer. Some have reverted, or are another wallet's.
    const txHash = hashes.at(-1)
    if (txHash !== undefined && random(100) < 40)
      synced += await sync(txHash, other.from, other.kind).then(() => 1, expectAppError)
    if (random(100) < 40) await index()
    if (random(100) < 15) {
      // What was in these blocks is not mined again.
      await node.reorg(1 + random(3))
      reorgs += 1
      await index()
    }
  }
  await index()
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, test)
  const tables = await readTables(db)
  t.strictSame(diffTables(tables, await readTables(fresh.db)), [])
  t.strictSame(await findDifferences(), [])
  const rows = [...(tables.get('readable_trades')?.values() ?? [])]
  const launches = tables.get('tokens')?.size ?? 0
  t.comment(`${rows.length} trades of ${launches} tokens, ${reorgs} reorgs, ${synced} receipts`)
  t.ok(rows.some(({ side }) => side === 'buy') && rows.some(({ side }) => side === 'sell') && launches > 1)
})
