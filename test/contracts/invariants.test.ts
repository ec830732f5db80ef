// Random calls of many actors on the contracts that hold money. test/long/invariants.test.ts makes many more.
import t from 'tap'
import { testInvariants } from './fixtures/invariants/test-invariants.ts'

await testInvariants(t, { calls: 2_000, seed: 1 })
