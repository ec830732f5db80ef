// 100,000 random calls of many actors on each contract that holds money. A shared machine took 4 to 22 minutes a contract:
//
//   npm run test:long -- test/long/invariants.test.ts
//
// INVARIANTS_SEED=n draws the same calls again (default: a new seed, which is printed); INVARIANTS_CALLS=n makes so many;
// INVARIANTS_CONTRACT=launchpad, staking or raises chooses one contract.
import t from 'tap'
import { testInvariants } from '../contracts/fixtures/invariants/test-invariants.ts'

t.setTimeout(0)

await testInvariants(t, { calls: 100_000, seed: 'random' })
