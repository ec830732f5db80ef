// Measures how the logs of many contracts are requested from a node.
import { integer } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

const COUNT = { min: 1, max: 1_000_000 }

await runCommand({
  command: 'npm run bench:filters',
  about: `Requests the logs of 1,000, 10,000 and 100,000 contracts over the same range of blocks of a busy chain in three ways: naming the
contracts, naming none, and as the indexer chooses. Prints requests, megabytes and seconds of each. The node serves an invented chain
from memory, waits before each answer as a distant one does, and refuses answers with more logs than providers send.`,
  options: {
    blocks: integer('N', 'blocks of the range', COUNT, 2_000),
    others: integer('N', 'logs of other contracts in a block', COUNT, 300),
    ours: integer('N', 'logs of the contracts in a block', COUNT, 5),
    latency: integer('MS', 'milliseconds before an answer', { min: 0, max: 10_000 }, 30),
    limit: integer('N', 'the most logs in an answer', COUNT, 10_000),
  },
  exitCodes: '0 measured, 2 it could not run.',
  run: async (values) => (await import('./filters/measure.ts')).measureFilters(values),
})
process.exit()
