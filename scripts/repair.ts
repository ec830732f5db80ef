// Fetches indexed blocks again and applies missing logs. See indexer/engine/repair.ts.
import { block, flag } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run repair',
  about: `Fetches indexed blocks from the node again, one by one, proves them by their receipts, applies missing logs, removes stored logs
that the chain does not have, and corrects USD prices. Stored logs are not applied twice. The service can run meanwhile: both take
the same lock. After a missed launch, a forged log or a wrong price, all derived tables are rebuilt from the stored logs, as by npm
run reindex.`,
  options: {
    from: block('first block; default the first block of DEPLOYMENTS'),
    to: block(
      "last block; default the indexer's checkpoint. If a missed contract is found, the repair continues to the checkpoint, because the contract's later logs are missing as well",
    ),
    'dry-run': flag('count missing and forged logs and wrong prices, and write nothing'),
  },
  notes: `Environment: RPC_URL, CHAIN_ID, DEPLOYMENTS, and DATABASE_URL or DATA_DIR, as for the service. An embedded database belongs to one
process: stop the service first.`,
  exitCodes: '0 complete, 1 logs or prices differ (--dry-run), 2 the repair could not run.',
  run: async (values) => (await import('./commands/repair.ts')).repairIndex(values),
})
