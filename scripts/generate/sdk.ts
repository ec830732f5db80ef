// Writes the generated files of the SDK from openapi.yaml, asyncapi.yaml, schemas and chain/abi; with --check it fails if one is stale.
import { readFile } from 'node:fs/promises'
import { parse } from 'yaml'
import type { AsyncApi, OpenApi } from './describe-sdk.ts'
import { runGenerator } from './write-generated.ts'

const read = async <Document>(name: string): Promise<Document> =>
  parse(await readFile(new URL(`../../${name}`, import.meta.url), 'utf8'))

await runGenerator({
  command: 'generate:sdk',
  source: 'openapi.yaml, asyncapi.yaml, schemas and chain/abi',
  make: async () => {
    const [
      { writeAbis, writeContracts },
      { writeApi, writeReasons },
      { writeOperations, writeRooms, writeSchema },
      { writeTextRules },
    ] = await Promise.all([
      import('./describe-contracts.ts'),
      import('./describe-flat-form.ts'),
      import('./describe-sdk.ts'),
      import('./describe-text-rules.ts'),
    ])
    const [openapi, asyncapi] = await Promise.all([read<OpenApi>('openapi.yaml'), read<AsyncApi>('asyncapi.yaml')])
    return {
      'sdk/src/schema.ts': await writeSchema(openapi, asyncapi),
      'sdk/src/operations.ts': writeOperations(openapi),
      'sdk/src/api/operations.ts': writeApi(openapi),
      'sdk/src/reasons.ts': writeReasons(openapi),
      'sdk/src/rooms.ts': writeRooms(asyncapi),
      'sdk/src/text-rules.ts': writeTextRules(),
      'sdk/src/abi/index.ts': await writeAbis(),
      'sdk/src/transactions/contracts.ts': await writeContracts(),
    }
  },
})
