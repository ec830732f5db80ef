import { execFileSync } from 'node:child_process'
import { access, readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import t from 'tap'
import { launchpadAbi } from '../../chain/abi/launchpad.ts'
import { environment } from '../../config/environment.ts'
import { reasons } from '../../routes/index.ts'
import { errorCodes } from '../../schemas/live.ts'
import { ROOT } from '../sdk/support/package.ts'

const pages = (await readdir(join(ROOT, 'docs'))).filter((name) => name.endsWith('.md'))
const names = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  'sdk/README.md',
  ...pages.map((name) => `docs/${name}`),
]
const documents = await Promise.all(
  names.map(async (name) => ({ name, text: await readFile(join(ROOT, name), 'utf8') })),
)
const { scripts } = JSON.parse(await readFile(join(ROOT, 'package.json'), 'utf8')) as {
  scripts: Record<string, string>
}
const handbook = documents.find(({ name }) => name === 'docs/operations.md')?.text ?? ''

const isThere = (path: string) =>
  access(join(ROOT, path)).then(
    () => true,
    () => false,
  )

/** The anchors of a document, as GitHub makes them of its headings. */
const anchorsOf = (text: string) =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )

t.test('every internal link is valid', async (t) => {
  let count = 0
  for (const { name, text } of documents)
    for (const [, target = ''] of text.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
      count++
      const [path = '', anchor] = target.split('#')
      const place = path === '' ? name : relative(ROOT, join(ROOT, dirname(name), path))
      t.ok(await isThere(place), `${name}: ${target}`)
      if (anchor) t.ok(anchorsOf(await readFile(join(ROOT, place), 'utf8')).includes(anchor), `${name}: ${target}`)
    }
  t.ok(count > 30)
})

t.test('the README lists every folder and page once', async (t) => {
  const { text } = documents[0]!
  const folders = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' })
    .split('\n')
    .flatMap((path) => path.match(/^([^./][^/]*)\//)?.[1] ?? [])
  const table = text.slice(text.indexOf('## Reading the code'))
  const named = [...table.matchAll(/^\|([^|]+)\|/gm)].flatMap(
    ([, cell = '']) => cell.match(/(?<=`)[a-z]+(?=\/`)/g) ?? [],
  )
  t.strictSame(named.toSorted(), [...new Set(folders)].filter((name) => name !== 'docs').toSorted())
  const linked = [...text.matchAll(/\]\(docs\/([\w-]+\.md)\)/g)].map(([, page]) => page)
  t.strictSame([...new Set(linked)].toSorted(), pages.toSorted())
  const list = [...text.slice(text.indexOf('The pages in')).matchAll(/\]\(docs\/([\w-]+\.md)\)/g)].map(
    ([, page]) => page,
  )
  t.equal(new Set(list).size, list.length, 'no page twice')
})

t.test('every table row belongs to a table with a header', async (t) => {
  let count = 0
  for (const { name, text } of documents) {
    const lines = text.replaceAll(/^```.*?^```$/gms, (code) => code.replaceAll(/^.*$/gm, '~')).split('\n')
    for (const [at, line] of lines.entries()) {
      if (!line.startsWith('|')) continue
      count++
      const begin = lines.findLastIndex((earlier, index) => index < at && !earlier.startsWith('|')) + 1
      if (!/^\|[\s:|-]+\|$/.test(lines[begin + 1] ?? '')) t.fail(`${name}:${at + 1}: ${line.slice(0, 60)}`)
      const cells = (row = '') => row.replaceAll(/\\\||`[^`]*`/g, '').split('|').length
      if (cells(line) !== cells(lines[begin])) t.fail(`${name}:${at + 1} has other columns: ${line.slice(0, 60)}`)
    }
  }
  t.ok(count > 300)
})

t.test('every named file, folder and script exists', async (t) => {
  const roots = (await readdir(ROOT, { withFileTypes: true }))
    .filter((one) => one.isDirectory())
    .map(({ name }) => name)
  // Generated files, a package's own, and the example domain of docs/adding-a-domain.md.
  const elsewhere = /^(data|deployments|node_modules|contracts\/out|web\/dist|dist)\b|\bpolls?\b/
  const count = { paths: 0, scripts: 0, programs: 0 }
  for (const { name, text } of documents) {
    for (const [, path = ''] of text.matchAll(/`([a-z-]+\/[\w./-]*)`/g)) {
      if (!roots.includes(path.split('/', 1)[0] ?? '') || elsewhere.test(path)) continue
      count.paths++
      t.ok(await isThere(path), `${name}: ${path}`)
    }
    for (const [, script = ''] of text.matchAll(/\bnpm run (?:--silent |-s )?([\w:-]+)/g)) {
      count.scripts++
      t.ok(script in scripts, `${name}: npm run ${script}`)
    }
    for (const [, path = ''] of text.matchAll(/\bnode ([\w/-]+\.ts)\b/g)) {
      count.programs++
      t.ok(await isThere(path), `${name}: ${path}`)
    }
  }
  t.ok(count.paths > 50 && count.scripts > 20 && count.programs > 5, JSON.stringify(count))
})

t.test('every named variable exists, and the handbook lists all', async (t) => {
  const [, table = ''] = /<!-- variables.*?-->(.*)<!-- \/variables -->/s.exec(handbook) ?? []
  const rows = [...table.matchAll(/^\| `([A-Z0-9_]+)`/gm)].map(([, name]) => name)
  t.same(rows, Object.keys(environment))
  // Of the database’s and the composition’s, of the handbook’s own commands, and of programs beside the service.
  const others = [
    'POSTGRES_PASSWORD',
    'PGPASSWORD',
    'VITE_API_URL',
    'SERVER_URL',
    'TEST_DATABASE_URL',
    'TEST_REDIS_URL',
    'CHROMIUM_PATH',
    'CITUS_SOURCE',
    'PRIVATE_KEY',
    'DEPLOYER_KEY',
    'ETHERSCAN_API_KEY',
    'ETHERSCAN_API_URL',
  ]
  const families = /^(RATE_LIMIT|MARKET_DATA|S3|SOCKET|OTEL|BRAND)_$/
  const codes = [...Object.keys(reasons), ...Object.keys(errorCodes)]
  const constants = launchpadAbi.flatMap((item) => (item.type === 'function' ? item.name : []))
  const known = new Set<string>([...Object.keys(environment), ...others, ...codes, ...constants])
  let count = 0
  for (const { name, text } of documents)
    for (const [, variable = ''] of text.matchAll(/(?<=`|\$)"?([A-Z][A-Z0-9]*_[A-Z0-9_]*)(?==|`|"|,| )/g)) {
      count++
      t.ok(known.has(variable) || families.test(variable), `${name}: ${variable}`)
    }
  t.ok(count > 100, `${count} variables`)
})

t.test('every metric has a valid Prometheus name and a description', async (t) => {
  const text = String(documents.find(({ name }) => name === 'docs/metrics.md')?.text)
  const rows = [...text.matchAll(/^\| `([^`]+)` \| (counter|gauge|histogram) \| (.+) \|$/gm)]
  for (const [, name = ''] of rows) t.match(name, /^slipway_[a-z0-9_]+$/)
  t.ok(rows.length > 40, `${rows.length} metrics`)
})

t.test('every error of the contracts is explained', async (t) => {
  const text = String(documents.find(({ name }) => name === 'docs/contracts.md')?.text)
  const sources = await readdir(join(ROOT, 'contracts/src'))
  let count = 0
  for (const source of sources.filter((name) => name.endsWith('.sol')))
    for (const [, name] of (await readFile(join(ROOT, 'contracts/src', source), 'utf8')).matchAll(
      /^ +error (\w+)\(/gm,
    )) {
      count++
      t.match(text, `| \`${name}\` |`, `${source}: ${name}`)
    }
  t.ok(count > 40, `${count} errors`)
})
