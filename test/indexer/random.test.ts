import t from 'tap'
import { faults } from '../support/hostile/node.ts'
import { testAtRandom } from './fixtures/random-test.ts'

// The same with other sizes, or another seed: see testAtRandom. That every kind of operation occurs is held by the long run,
// test/long/random.test.ts: a rare kind may take a thousand operations.
t.setTimeout(390_000)

await testAtRandom(
  t,
  { operations: 300, reorgs: 15, kills: 4, stops: 4, longStops: 0, ofEachKind: 0, events: 5, faults },
  '20261121',
)
