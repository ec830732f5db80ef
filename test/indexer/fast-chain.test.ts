import t from 'tap'
import { type Address, parseEther } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { launchedToken, makeActions } from '../support/actors.ts'
import { startHostileNode } from '../support/hostile/node.ts'
import { startAudited } from './fixtures/audited.ts'

t.setTimeout(200_000)

const BLOCKS = 320
/** Blocks of one second. */
const PER_SECOND = 8
const TRADE_EACH = 16

t.test('a chain of eight blocks a second is followed with few requests', async (t) => {
  const asked = new Set<unknown>()
  const { node, accounts, deployed, db, proxy, index, expectFresh } = await startAudited(
    t,
    { env: { FINALITY: '10000' } },
    async (test) => {
      const proxy = await startHostileNode(t, test.anvil.url)
      // The calls of one HTTP request come together.
      proxy.follow((_call, _ask, [first]) => void asked.add(first))
      return { ...test, chain: new Chain([proxy.url], { retries: 0, timeoutMs: 60_000 }), proxy }
    },
  )
  const [, ann, bob] = accounts as [Address, Address, Address]
  const act = makeActions(deployed)
  const [launch] = await node.run(act.launch(ann, 'ONE', parseEther('0.1')))
  const token = launchedToken(launch!)
  await index()

  const count = () => ({ requests: asked.size, calls: [...proxy.calls.values()].reduce((sum, one) => sum + one, 0) })
  const measure = async () => {
    const before = count()
    await index()
    const { requests, calls } = count()
    return { requests: requests - before.requests, calls: calls - before.calls }
  }
  const mine = async (blocks: number) => {
    for (let at = 0; at < blocks; at++) {
      if (at % TRADE_EACH === 0) await node.send([act.buy(bob, token, parseEther('0.001'))])
      await node.mine(at % PER_SECOND === 0 ? 1 : 0)
    }
  }
  await mine(BLOCKS)
  const followed = await measure()
  const trades = await db.selectFrom('readable_trades').select('block_time').execute()
  t.equal(trades.length, 1 + BLOCKS / TRADE_EACH)
  // A header for each block, the receipts of those with trades, and a few at the beginning and in each of the five batches.
  const least = BLOCKS + BLOCKS / TRADE_EACH
  t.ok(followed.calls <= least + 40, 'calls', { followed, least })
  t.ok(followed.requests <= 40, 'HTTP requests', { followed })

  await node.reorg(100, [{ action: act.buy(bob, token, 7n), block: 50 }])
  const undone = await measure()
  t.ok(undone.calls <= 400 && undone.requests <= 40, 'a long reorg', { undone })
  await expectFresh('after a reorg of 100 blocks')
})
