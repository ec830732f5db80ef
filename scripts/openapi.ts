// Writes openapi.yaml from the routes, or with --check fails if it is not what they say.
import { readFile, writeFile } from 'node:fs/promises'
import { describeApi } from './describe-api.ts'

const PATH = new URL('../openapi.yaml', import.meta.url)
const text = await describeApi()

if (process.argv.includes('--check')) {
  if ((await readFile(PATH, 'utf8').catch(() => '')) !== text) {
    console.error('openapi.yaml is not what the routes say. Run: npm run generate:openapi')
    process.exit(1)
  }
  console.log('openapi.yaml is what the routes say.')
} else {
  await writeFile(PATH, text)
  console.log('openapi.yaml written.')
}
