import t from 'tap'
import { faults } from '../support/hostile/node.ts'
import { testAtRandom } from './fixtures/random-test.ts'

// Short runs. SEED=n makes one with another seed. Other sizes: see testAtRandom. New seeds, and that every kind of operation
// occurs, are for the long run, test/long/random.test.ts: a rare kind may take a thousand operations.
const SEEDS = [1, 2, 3]

t.setTimeout(390_000)

const sizes = {
  ...{ operations: 100, reorgs: 5, dropping: 3, repeating: 2, undone: 3, kills: 1, syncsDuringKills: 1, stops: 1 },
  ...{ longStops: 0, backfills: 1, ofEachKind: 0, ofEachTime: 1, edges: 1, events: 1, replays: 1, faults },
}
for (const seed of process.env.SEED ? SEEDS.slice(0, 1) : SEEDS) await testAtRandom(t, sizes, seed)
