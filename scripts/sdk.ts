// Writes what the SDK generates from openapi.yaml and asyncapi.yaml, or with --check fails if it is not what they say.
import { readFile, writeFile } from 'node:fs/promises'
import { parse } from 'yaml'
import { type AsyncApi, type OpenApi, writeOperations, writeRooms, writeSchema } from './describe-sdk.ts'

const read = async <Document>(name: string): Promise<Document> =>
  parse(await readFile(new URL(`../${name}`, import.meta.url), 'utf8'))

const [openapi, asyncapi] = await Promise.all([read<OpenApi>('openapi.yaml'), read<AsyncApi>('asyncapi.yaml')])
const files = {
  'schema.ts': await writeSchema(openapi, asyncapi),
  'operations.ts': writeOperations(openapi),
  'rooms.ts': writeRooms(asyncapi),
}

const stale: string[] = []
for (const [name, text] of Object.entries(files)) {
  const path = new URL(`../sdk/src/${name}`, import.meta.url)
  if (!process.argv.includes('--check')) await writeFile(path, text)
  else if ((await readFile(path, 'utf8').catch(() => '')) !== text) stale.push(`sdk/src/${name}`)
}
if (stale.length > 0) {
  console.error(`${stale.join(', ')}: not what the documents say. Run: npm run generate:sdk`)
  process.exit(1)
}
console.log(
  process.argv.includes('--check') ? 'The SDK is what the documents say.' : 'The generated part of the SDK is written.',
)
