import t from 'tap'
import { PairMap } from '../../indexer/market/pair-map.ts'

t.test('a map of pairs keeps one value for each wallet at each token', async (t) => {
  const map = new PairMap<number>()
  map.set('0xa', '0x1', 1)
  map.set('0xb', '0x1', 2)
  map.set('0xa', '0x2', 3)
  map.set('0xa', '0x1', 4)
  t.equal(map.get('0xa', '0x1'), 4)
  t.equal(map.get('0xb', '0x1'), 2)
  t.equal(map.get('0xb', '0x2'), undefined)
  t.equal(map.get('0xc', '0x1'), undefined)
  t.same(map.values(), [4, 3, 2])
  map.set('0xc', '0x1', 5)
  map.set('0xc', '0x2', 6)
  t.equal(map.get('0xc', '0x1'), 5, 'a token that was looked up before it was known')
  t.same(map.values(), [4, 3, 2, 5, 6])
})
