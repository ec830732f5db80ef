import t from 'tap'
import { faults } from '../support/hostile/node.ts'
import { testAtRandom } from './fixtures/random-test.ts'

// Short runs with new seeds. The title of each has its seed: SEED=n repeats it alone. Other sizes: see testAtRandom. That every
// kind of operation occurs is held by the long run, test/long/random.test.ts: a rare kind may take a thousand operations.
const RUNS = 3

t.setTimeout(390_000)

const sizes = {
  ...{ operations: 100, reorgs: 5, dropping: 3, repeating: 2, undone: 3, kills: 1, syncsDuringKills: 1, stops: 1 },
  ...{ longStops: 0, backfills: 1, ofEachKind: 0, ofEachTime: 1, edges: 1, events: 1, replays: 1, faults },
}
for (let left = process.env.SEED ? 1 : RUNS; left > 0; left--) await testAtRandom(t, sizes)
