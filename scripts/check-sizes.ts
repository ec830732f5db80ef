// Checks that no source file and no folder is too large to read. Generated files are excluded. `npm run lint` runs this.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { dirname } from 'node:path'

const MAX_LINES = 400
const MAX_FILES = 40

const SOURCE = /\.(ts|tsx|js|mjs|cjs|sol|css|html|sh)$/
const GENERATED =
  /^(contracts\/artifacts|chain\/abi|sdk\/dist)\/|^db\/schema\.ts$|^sdk\/src\/(schema|operations|rooms)\.ts$/

const list = (...options: string[]) =>
  execFileSync('git', ['ls-files', '-z', ...options], { encoding: 'utf8' })
    .split('\0')
    .filter(Boolean)
const deleted = new Set(list('--deleted'))
const files = list('--cached', '--others', '--exclude-standard').filter(
  (path) => !GENERATED.test(path) && !deleted.has(path),
)

const longFiles = files
  .filter((path) => SOURCE.test(path))
  .map((path) => ({ path, lines: readFileSync(path, 'utf8').split('\n').length - 1 }))
  .filter(({ lines }) => lines > MAX_LINES)
const fullFolders = [...Map.groupBy(files, (path) => dirname(path))].filter(([, inside]) => inside.length > MAX_FILES)

for (const { path, lines } of longFiles) console.error(`${path} has ${lines} lines; at most ${MAX_LINES} are allowed`)
for (const [folder, inside] of fullFolders)
  console.error(`${folder}/ has ${inside.length} files; at most ${MAX_FILES} are allowed`)
if (longFiles.length + fullFolders.length > 0) process.exitCode = 1
