import t from 'tap'
import { serverUrl } from '../support/database.ts'
import { faults } from '../support/hostile/node.ts'
import { testAtRandom } from './fixtures/random-test.ts'

// Short runs. SEED=n makes one with another seed. Other sizes: see testAtRandom. New seeds, and that every kind of operation
// occurs, are for the long run, test/long/random.test.ts: a rare kind may take a thousand operations. There are fewer on PGlite,
// where each kill is followed by a pause until the only process is up again.
const SEEDS = serverUrl === null ? [1, 2] : [1, 2, 3]

t.setTimeout(390_000)

const sizes = {
  ...{ operations: 60, reorgs: 5, dropping: 3, repeating: 2, undone: 3, kills: 1, syncsDuringKills: 1, stops: 1 },
  ...{ longStops: 0, backfills: 1, ofEachKind: 0, ofEachTime: 1, edges: 1, events: 0, replays: 1, faults },
}
for (const seed of process.env.SEED ? SEEDS.slice(0, 1) : SEEDS) await testAtRandom(t, sizes, seed)
