// Writes asyncapi.yaml from the socket schemas; with --check it fails if the file is stale.
import { runGenerator } from './write-generated.ts'

await runGenerator({
  command: 'generate:asyncapi',
  source: 'the socket schemas',
  make: async () => ({ 'asyncapi.yaml': await (await import('./describe-api.ts')).describeLive() }),
})
