// Writes openapi.yaml from the routes; with --check it fails if the file is stale.
import { describeApi } from './describe-api.ts'
import { writeGenerated } from './write-generated.ts'

await writeGenerated({
  command: 'generate:openapi',
  source: 'the routes',
  make: async () => ({ 'openapi.yaml': await describeApi() }),
})
