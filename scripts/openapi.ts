// Writes openapi.yaml from the routes, or with --check fails if it is not what they say.
import { describeApi } from './describe-api.ts'
import { writeGenerated } from './write-generated.ts'

await writeGenerated({
  command: 'generate:openapi',
  source: 'the routes',
  make: async () => ({ 'openapi.yaml': await describeApi() }),
})
