// Writes asyncapi.yaml from the schemas of the socket, or with --check fails if it is not what they say.
import { describeLive } from './describe-api.ts'
import { writeGenerated } from './write-generated.ts'

await writeGenerated({
  command: 'generate:asyncapi',
  source: 'the schemas of the socket',
  make: async () => ({ 'asyncapi.yaml': await describeLive() }),
})
