// Writes the tables of docs/ that are made from code; with --check it fails if one of them is stale.
import { runGenerator } from './write-generated.ts'

await runGenerator({
  command: 'generate:docs',
  source:
    'the variables of config/environment.ts, the domains of routes/index.ts, the metrics in the code and its lines',
  make: async () => (await import('./describe-docs.ts')).describePages(),
})
