// Writes the types and the documentation of the tables from the migrated schema; with --check it fails if they are stale.
import { runGenerator } from './write-generated.ts'

await runGenerator({
  command: 'generate:db',
  source: 'the migrations',
  make: async () => (await import('./describe-tables.ts')).describeTables(),
})
