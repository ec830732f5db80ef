import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import t from 'tap'
import { parse } from 'yaml'
import { ALONE, GROUPS, listFiles } from './groups.ts'
import { usesServers } from './uses-servers.ts'

const ROOT = new URL('../../', import.meta.url)
const find = (pattern: string) => globSync(pattern, { cwd: ROOT })

t.test('every test file runs exactly once', async (t) => {
  const { include } = parse(readFileSync(new URL('.taprc', ROOT), 'utf8')) as { include: string[] }
  const alone = include.flatMap(find).filter((path) => !path.startsWith('test/groups/'))
  t.same(alone.sort(), ALONE.map((name) => `test/${name}.test.ts`).sort(), 'those that run alone')
  const run = [
    ...alone,
    ...Object.values(GROUPS)
      .flatMap(listFiles)
      .map((file) => `test/${file}`),
  ]
  const existing = find('test/**/*.test.ts').filter((path) => !/^test\/(groups|long)\//.test(path))
  const missing = existing.filter((path) => !run.includes(path))
  const repeated = run.filter((path, at) => run.indexOf(path) < at)
  t.same(missing, [], `in no group, add to test/groups/groups.ts: ${missing.join(', ') || 'none'}`)
  t.same(repeated, [], `in two groups, remove from one in test/groups/groups.ts: ${repeated.join(', ') || 'none'}`)
})

t.test('every group has one entry file, and every entry file a group', async (t) => {
  const entries = find('test/groups/*.test.ts').filter((path) => !path.endsWith('complete.test.ts'))
  t.same(
    entries.sort(),
    Object.keys(GROUPS)
      .map((name) => `test/groups/${name}.test.ts`)
      .sort(),
  )
  for (const [name, patterns] of Object.entries(GROUPS))
    for (const pattern of patterns) t.not(listFiles([pattern]).length, 0, `${name}: ${pattern}`)
})

t.test('a test that opens a database or a cache also runs with PostgreSQL and Redis', async (t) => {
  const root = fileURLToPath(ROOT)
  for (const path of find('test/**/*.test.ts').filter((path) => !/^test\/(groups|long)\//.test(path))) {
    const source = readFileSync(new URL(path, ROOT), 'utf8')
    const opens = /\b(createTestDatabase|startService|openTestDatabase|createTestCache)\(/.test(source)
    const uses = usesServers(root, path)
    if (opens) t.ok(uses, path)
  }
  t.notOk(usesServers(root, 'test/chain/price.test.ts'))
})
