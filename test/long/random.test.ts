// 10,000 operations, 200 reorgs and 50 kills in one run against real processes and hostile nodes; on PostgreSQL with two
// indexers and two that answer. An hour at most on two idle cores:
//
//   TEST_DATABASE_URL=postgres://… TEST_REDIS_URL=redis://… npm run test:long -- test/long/random.test.ts
//
// SEED=n draws the same choices again (default: a new seed, which is printed). OPERATIONS, REORGS, KILLS and so on, see VARIABLES
// of random-test.ts, set the sizes; FAULTS=late,limited the faults of the nodes; DEBUG=1 shows what the processes write.
import t from 'tap'
import { testAtRandom } from '../indexer/fixtures/random-test.ts'
import { faults } from '../support/hostile/node.ts'

t.setTimeout(0)

await testAtRandom(t, {
  ...{ operations: 10_000, reorgs: 200, dropping: 100, repeating: 50, undone: 150, kills: 50, syncsDuringKills: 25 },
  ...{ stops: 50, longStops: 5, backfills: 10, ofEachKind: 10, ofEachTime: 50, edges: 100, events: 200, replays: 2 },
  faults,
})
