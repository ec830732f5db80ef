// Prints the bytes per row of a filled database; --sizes of bench/indexer.ts prints the same.
import { required, url } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

await runCommand({
  command: 'npm run bench:sizes',
  about: 'Prints the bytes per row of each table of a filled database.',
  arguments: { database: required(url('<DATABASE_URL>', 'the PostgreSQL database', 'postgres')) },
  exitCodes: '0 printed, 2 it could not run.',
  run: async ({ database }) => (await import('./indexer/print-sizes.ts')).printSizes(database),
})
