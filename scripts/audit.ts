// Compares the database with the chain. See audit/audit.ts.
import { decimal, flag } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run audit',
  about: `Compares all chain-derived data with the chain, at the indexer's checkpoint: the stored logs with the node's logs; balances,
supplies, reserves, fees, stakes and raises with the contracts' state; candles and all other figures with an independent
computation. Prints each difference. It starts no indexer, migrates nothing and writes nothing: it uses one read-only transaction,
for which a role with select privileges is enough. The indexer can run meanwhile.`,
  options: {
    wait: decimal(
      '<seconds>',
      'maximum time to wait during a reorg, or until the indexer has reached all synced receipts',
      { min: 0, max: 86_400 },
      30,
    ),
    quiet: flag('print differences only'),
  },
  notes: `Environment: DATABASE_URL or DATA_DIR, RPC_URL, CHAIN_ID and DEPLOYMENTS, as for the service. An embedded database belongs to one
process: stop the service first. The node must have the state of the checkpoint's block.`,
  exitCodes: '0 no difference, 1 differences, 2 the audit could not run.',
  run: async (values) => (await import('./commands/audit.ts')).auditIndex(values),
})
