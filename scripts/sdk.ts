// Writes the generated files of the SDK from openapi.yaml and asyncapi.yaml; with --check it fails if one is stale.
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { type AsyncApi, type OpenApi, writeOperations, writeRooms, writeSchema } from './describe-sdk.ts'
import { writeGenerated } from './write-generated.ts'

const read = async <Document>(name: string): Promise<Document> =>
  parse(await readFile(new URL(`../${name}`, import.meta.url), 'utf8'))

await writeGenerated({
  command: 'generate:sdk',
  source: 'openapi.yaml and asyncapi.yaml',
  make: async () => {
    const [openapi, asyncapi] = await Promise.all([read<OpenApi>('openapi.yaml'), read<AsyncApi>('asyncapi.yaml')])
    return {
      'sdk/src/schema.ts': await writeSchema(openapi, asyncapi),
      'sdk/src/operations.ts': writeOperations(openapi),
      'sdk/src/rooms.ts': writeRooms(asyncapi),
    }
  },
})
