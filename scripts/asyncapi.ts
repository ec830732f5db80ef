// Writes asyncapi.yaml from the schemas of the socket, or with --check fails if it is not what they say.
import { readFile, writeFile } from 'node:fs/promises'
import { describeLive } from './describe-api.ts'

const PATH = new URL('../asyncapi.yaml', import.meta.url)
const text = await describeLive()

if (process.argv.includes('--check')) {
  if ((await readFile(PATH, 'utf8').catch(() => '')) !== text) {
    console.error('asyncapi.yaml is not what the schemas say. Run: npm run generate:asyncapi')
    process.exit(1)
  }
  console.log('asyncapi.yaml is what the schemas say.')
} else {
  await writeFile(PATH, text)
  console.log('asyncapi.yaml written.')
}
