import t from 'tap'
import { toHex } from 'viem'
import type { Transact } from '../../../db/client.ts'
import { resolveContracts } from '../../../indexer/contracts.ts'
import { prepareChainState } from '../../../indexer/engine/contracts.ts'
import { backfillDeployments } from '../../../indexer/engine/deployments/backfill-deployments.ts'
import { createTestDatabase } from '../../support/database.ts'
import { nadFunEvents } from '../../support/launchpads/abi.ts'
import { encodeLog } from '../../support/launchpads/emitter.ts'
import { waitUntil } from '../../support/waits/wait-until.ts'
import { startEmitters } from '../fixtures/emitters.ts'
import { indexToHead } from '../fixtures/indexing.ts'
import { diffTables, readTables } from '../fixtures/tables.ts'

t.setTimeout(400_000)

const run = await startEmitters(t, { names: ['followed', 'added', 'token', 'pool'], followed: { followed: 'nad-fun' } })
const { say, emitters, ann, db, node, chain, config, contracts, index } = run
const create = encodeLog(nadFunEvents, 'CurveCreate', {
  ...{ creator: ann, token: emitters.token, pool: emitters.pool, name: 'n', symbol: 's', tokenURI: 'u' },
  ...{ virtualMon: 100n, virtualToken: 1_000n, targetTokenAmount: 100n },
})
const transfer = { topics: [toHex('x', { size: 32 })], data: '0x' as const }
const startBlock = await node.height()
for (let left = 10; left > 0; left--) await node.mine()
// Of no token, so it is stored as invalid.
await say(['added', encodeLog(nadFunEvents, 'CurveBuy', { sender: ann, token: ann, amountIn: 1n, amountOut: 1n })])
for (let left = 20; left > 0; left--) await node.mine()
await say(['added', create])
await say(['followed', create], ['token', transfer])
for (let left = 40; left > 0; left--) await node.mine()
await index()
const added = { kind: 'nad-fun' as const, address: emitters.added, startBlock }
const { kind, address } = added
await db.insertInto('deployments').values({ kind, address, start_block: startBlock, added_by: ann }).execute()

const warnings: string[] = []
const log = { info: () => {}, warn: (_: object, message: string) => void warnings.push(message) }
const backfill = async (signal = new AbortController().signal) => {
  const indexed = await prepareChainState(db, chain, contracts, config)
  const transact: Transact = (work) => db.transaction().execute(work)
  await backfillDeployments({ db, chain, contracts: indexed, transact, log, signal, sizes: { firstSpan: 5 } })
}
const readDeployment = () => db.selectFrom('deployments').selectAll().executeTakeFirstOrThrow()

t.test('while the indexer is halted, the history waits', async (t) => {
  await db.updateTable('chain_state').set({ halted: 'a reorg' }).execute()
  const stopping = new AbortController()
  const running = backfill(stopping.signal)
  await waitUntil('it has noticed', () => warnings.length > 0)
  t.match(warnings, ['The backfill of an added contract failed; it continues later'])
  stopping.abort()
  await running
  const { backfilled_to: reached, completed_at: completed } = await readDeployment()
  t.ok(reached !== null && reached < startBlock + 11)
  t.equal(completed, null)
  await db.updateTable('chain_state').set({ halted: null }).execute()
})

t.test('a launch that is earlier than the stored one of the same token counts, as in a fresh database', async (t) => {
  const launched = () => db.selectFrom('tokens').select(['address', 'launchpad']).execute()
  t.same(await launched(), [{ address: emitters.token, launchpad: emitters.followed }])
  warnings.length = 0
  await backfill()
  t.match(warnings, ['A launch is stored with a later one; the head reads from there again'])
  t.ok((await readDeployment()).completed_at !== null)
  await index()
  t.same(await launched(), [{ address: emitters.token, launchpad: emitters.added }])
  const whole = { ...config, deployments: [...config.deployments, added] }
  const fresh = await createTestDatabase(t)
  await indexToHead(fresh.db, { chain, config: whole, contracts: await resolveContracts(chain, whole) })
  t.strictSame(diffTables(await readTables(db), await readTables(fresh.db)), [])
})
