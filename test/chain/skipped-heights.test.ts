import t, { type Test } from 'tap'
import { numberToHex } from 'viem'
import { Chain } from '../../chain/rpc/client.ts'
import { startAnvil } from '../../dev/anvil.ts'
import { Node } from '../support/chain-fixture.ts'
import { on, result, startHostileNode } from '../support/hostile/node.ts'
import { type SkippedAnswer, startSkippingNode } from '../support/hostile/skipping-node.ts'

const BLOCKS = 12
const TOPIC = `0x${'1'.repeat(64)}` as const

async function startBlocks(t: Test): Promise<string> {
  const anvil = await startAnvil({ extraArgs: ['--no-mining'] })
  t.teardown(() => anvil.stop())
  const node = new Node(anvil.url)
  for (let left = BLOCKS; left > 0; left--) await node.mine()
  return anvil.url
}
const connect = (url: string) => new Chain([url], { retries: 0 })

for (const answer of ['null', 'error'] satisfies SkippedAnswer[])
  t.test(`a skipped height is between two blocks that are linked: answered by ${answer}`, async (t) => {
    const isSkipped = (height: number) => (height > 4 && height < 30) || height === 33
    const node = await startSkippingNode(t, await startBlocks(t), isSkipped, answer)
    const chain = connect(node.url)
    const find = async (height: number) => {
      const found = await chain.findNeighbours(height)
      return found && [found.below.number, found.above.number]
    }
    t.same(await find(4), [4, 4])
    t.equal(chain.hasSkipped, false)
    t.same(await find(5), [4, 30], 'a long gap')
    t.equal(chain.hasSkipped, true)
    t.same(await find(33), [32, 34])
    t.same(await find(node.heightOf(BLOCKS)), [38, 38])
    t.equal(await find(39), null, 'nothing is above the head')

    node.calls.clear()
    const { ends } = await chain.getPackedLogs({ topics: [TOPIC], range: { from: 3, to: 33 } })
    t.same(
      ends.map(({ number }) => Number(number)),
      [32],
    )
    t.equal(node.calls.get('eth_getLogs'), 1, 'where heights are known to be skipped, a range ends at a block at once')
    const { blocks } = await chain.getPackedLogs({ topics: [TOPIC], range: { from: 6, to: 29 } })
    t.same(blocks, [])
    t.equal(node.calls.get('eth_getLogs'), 1, 'a range without a block is not requested')
  })

t.test('the first range that ends at a skipped height is requested again, up to the block before', async (t) => {
  const node = await startSkippingNode(t, await startBlocks(t), (height) => height === 5, 'error')
  const chain = connect(node.url)
  const { ends } = await chain.getPackedLogs({ topics: [TOPIC], range: { from: 1, to: 5 } })
  t.same(
    ends.map(({ number }) => Number(number)),
    [4],
  )
  t.equal(chain.hasSkipped, true)
})

t.test('a node that lags behind shows no skipped height', async (t) => {
  const node = await startHostileNode(t, await startBlocks(t))
  const chain = connect(node.url)
  /** The node lacks these heights so many times. */
  const lack = (heights: readonly number[], times: number) => {
    const left = new Map(heights.map((height) => [numberToHex(height) as string, times]))
    node.follow(
      on('eth_getBlockByNumber', ({ params: [height] }) => {
        const more = left.get(String(height)) ?? 0
        left.set(String(height), more - 1)
        return more > 0 ? result(null) : undefined
      }),
    )
  }
  lack([7], 1)
  const found = await chain.findNeighbours(7)
  t.same([found?.below.number, found?.above.number], [7, 7], 'it has the block meanwhile')
  lack([7, 8], Number.POSITIVE_INFINITY)
  t.equal(await chain.findNeighbours(7), null, 'the block above is not linked to one below')
  lack([7, 8, 9, 10, 11, 12], Number.POSITIVE_INFINITY)
  t.equal(await chain.findNeighbours(7), null, 'no block is above')
  t.equal(chain.hasSkipped, false)

  lack([9], 1)
  const range = { from: 1, to: 9 }
  node.calls.clear()
  await t.rejects(chain.getPackedLogs({ topics: [TOPIC], range }), { message: /does not have block 9/ })
  t.equal(node.calls.get('eth_getLogs'), 1, 'the caller decides when it is asked again')
})
