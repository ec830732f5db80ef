import t from 'tap'
import { startAnvil } from '../../dev/anvil.ts'
import { Node } from '../support/chain-fixture.ts'
import { faults, on, result, startHostileNode } from '../support/hostile/node.ts'

t.test('a hostile node forwards calls, except for its rules and faults', async (t) => {
  const anvil = await startAnvil()
  t.teardown(() => anvil.stop())
  const hostile = await startHostileNode(t, anvil.url)
  const honest = new Node(anvil.url)
  const node = new Node(hostile.url)
  t.same(await node.call('eth_getBlockByNumber', '0x0', false), await honest.call('eth_getBlockByNumber', '0x0', false))
  hostile.follow(on('eth_getLogs', ({ params }) => result(params)))
  const both = [
    { method: 'eth_getLogs', params: [{ fromBlock: '0x0' }] },
    { method: 'eth_chainId', params: [] },
  ]
  t.same(await node.callAll(both), [[{ fromBlock: '0x0' }], '0x7a69'])
  t.same(
    [...hostile.calls],
    [
      ['eth_getBlockByNumber', 1],
      ['eth_getLogs', 1],
      ['eth_chainId', 1],
    ],
  )

  const meet = async (random: () => number) => {
    hostile.disturb({ share: 0.5, random, lateMs: 1 })
    const outcomes: string[] = []
    for (let left = 60; left > 0; left--) {
      const answer = node.call('eth_getBlockByNumber', '0x0', false)
      outcomes.push(
        await answer.then(
          (block) => (block === null ? 'null' : 'block'),
          () => 'failed',
        ),
      )
    }
    return outcomes
  }
  const seeded = () => {
    let state = 7
    return () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
      return state / 0x80000000
    }
  }
  const first = await meet(seeded())
  t.same(new Set(first), new Set(['block', 'null', 'failed']))
  t.same(await meet(seeded()), first, 'the same seed, the same faults')
  t.same([...hostile.faults.keys()].sort(), [...faults].sort(), 'each fault was met')
})
