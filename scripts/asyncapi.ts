// Writes asyncapi.yaml from the socket schemas; with --check it fails if the file is stale.
import { describeLive } from './describe-api.ts'
import { writeGenerated } from './write-generated.ts'

await writeGenerated({
  command: 'generate:asyncapi',
  source: 'the socket schemas',
  make: async () => ({ 'asyncapi.yaml': await describeLive() }),
})
