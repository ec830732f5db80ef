// Writes openapi.yaml from the routes; with --check it fails if the file is stale.
import { runGenerator } from './write-generated.ts'

await runGenerator({
  command: 'generate:openapi',
  source: 'the routes',
  make: async () => ({ 'openapi.yaml': await (await import('./describe-api.ts')).describeApi() }),
})
