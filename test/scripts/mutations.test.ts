import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import t, { type Test } from 'tap'
import { Baselines } from '../mutations/baselines.ts'
import { ClosestTests } from '../mutations/closest-tests.ts'
import { findMutants, type Mutant } from '../mutations/find-mutants.ts'
import { runTest } from '../mutations/run-test.ts'
import { WorkingCopy } from '../mutations/working-copy.ts'

const apply = (source: string, { start, end, replacement }: Mutant) =>
  source.slice(0, start) + replacement + source.slice(end)
/** The source with each of its mutants. */
const mutate = (source: string) => findMutants('a.ts', source).map((mutant) => apply(source, mutant))

for (const [what, source, expected] of [
  ['edges', 'x < y', ['x <= y']],
  ['edges of the query builder', "y = db.where('at', '>', 1)", ["y = db.where('at', '>=', 1)"]],
  ['equality', 'x === y', ['x !== y']],
  ['sums of numbers', 'x + y', ['x - y']],
  ['no texts', "x + 'y'", []],
  ['compound assignments', 'x ||= y()', ['x = y()']],
  ['negations', 'return !x', ['return x']],
  ['conditions', 'if (x) y = 1', ['if (true) y = 1', 'if (false) y = 1']],
  ['alternatives', 'y = x ? 1 : 2', ['y = true ? 1 : 2', 'y = false ? 1 : 2']],
  ['calls for their effect', 'await x.save()', ['{}']],
  ['no calls for their value', 'y = x.load()', []],
  ['limits', 'y = Math.max(1, 2)', ['y = Math.min(1, 2)']],
  ['no types', 'type A = B extends true ? 1 : 2', []],
  ['edges in SQL', 'sql`a >= $' + '{x} and b is null`', ['>', 'or', 'is not null']],
  ['no ranges in SQL', 'sql`a between 1 and 2`', []],
  ['order in SQL', 'sql`order by a desc limit 1`', ['asc']],
  ['aggregates in SQL', 'sql`max(a) filter (where b)`', ['min(', 'filter (where true or']],
  ['no SQL in other texts', 'y = `a and b`', []],
] as const) {
  t.test(`mutants change ${what}`, async (t) => {
    const mutants = mutate(source)
    t.equal(mutants.length, expected.length, mutants.join(' | '))
    for (const [index, part] of expected.entries()) t.match(mutants[index], part)
  })
}

/** A folder with these files, gone when the test ends. */
function createTree(t: Test, files: Record<string, string>): string {
  const root = mkdtempSync(join(tmpdir(), 'slipway-tree-'))
  t.teardown(() => rmSync(root, { recursive: true, force: true }))
  for (const [path, source] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true })
    writeFileSync(join(root, path), source)
  }
  return root
}

t.test('the closest tests have the name of the file, or import it through the fewest others', async (t) => {
  const root = createTree(t, {
    'lib/fees.ts': '',
    'lib/far.ts': "import {\n  a,\n} from './fees.ts'\n",
    'app.ts': "import './lib/far.ts'\n",
    'test/x.test.ts': "import type { A } from '../lib/fees.ts'\n",
    'test/app.test.ts': "import '../app.ts'\n",
    'test/routes/fees.test.ts': "const x = await import('../../app.ts')\n",
    'test/direct.test.ts': "export * from '../lib/fees.ts'\n",
  })
  const tests = ['x', 'app', 'routes/fees', 'direct'].map((name) => `test/${name}.test.ts`)
  t.strictSame(new ClosestTests(root, tests).find('lib/fees.ts'), [
    'test/routes/fees.test.ts',
    'test/direct.test.ts',
    'test/app.test.ts',
  ])
})

const SOURCE = `export const isFull = (count: number): boolean => count >= 3\nexport const never = (a: number) => a > 1\n`

t.test('a working copy holds the mutant while its tests run, which pass, fail or hang', async (t) => {
  const root = createTree(t, {
    '.taprc': 'node-arg: ["--no-warnings"]\n',
    'lib/full.ts': SOURCE,
    'test/full.test.ts': `import { isFull } from '../lib/full.ts'
console.log('TAP version 14')
if (isFull(3) !== true) console.log('not ok 1 - at the edge')
`,
    'test/fails.test.ts': 'throw new Error("no server")\n',
    'test/hangs.test.ts': 'setInterval(() => {}, 1_000)\n',
  })
  const files = ['.taprc', 'lib/full.ts', ...['full', 'fails', 'hangs'].map((name) => `test/${name}.test.ts`)]
  const folder = join(root, 'copy')
  const copy = new WorkingCopy(root, files, folder)
  const run = (test: string, timeoutMs = 60_000) => runTest({ folder, test: `test/${test}.test.ts`, timeoutMs })
  const [edge, other] = findMutants('lib/full.ts', SOURCE) as [Mutant, Mutant]
  t.match(await run('full'), { result: 'passed' })
  await copy.with(edge, async () => {
    t.match(readFileSync(join(folder, 'lib/full.ts'), 'utf8'), 'count > 3')
    t.equal(readFileSync(join(root, 'lib/full.ts'), 'utf8'), SOURCE, 'the original is left alone')
    t.match(await run('full'), { result: 'failed', reason: 'not ok 1 - at the edge' })
  })
  t.equal(readFileSync(join(folder, 'lib/full.ts'), 'utf8'), SOURCE)
  t.match(await run('hangs', 200), { result: 'hung' })

  /** What is known of the tests, and how many of them ran for it. */
  const measure = async (mutants: readonly Mutant[]) => {
    const baselines = new Baselines(root, files, mutants)
    const ran: string[] = []
    await baselines.measure([['test/full.test.ts'], ['test/fails.test.ts']], {
      ...{ copies: [copy], imports: () => false, log: (line) => ran.push(line) },
    })
    return { baselines, ran: ran.length }
  }
  const { baselines, ran } = await measure([edge, other])
  t.equal(ran, 2)
  const { reached, ...baseline } = baselines.get('test/full.test.ts')
  t.match(baseline, { failure: null, milliseconds: Number })
  t.strictSame(reached, [`lib/full.ts:${edge.start}`], 'not the function that is not called')
  t.match(baselines.get('test/fails.test.ts'), { failure: /^Node\.js v|no server/, reached: [] })
  t.match(baselines.listFailing(), [['test/fails.test.ts', String]])
  t.throws(() => baselines.get('test/hangs.test.ts'), /was not measured/)
  const again = await measure([edge, other])
  t.equal(again.ran, 0, 'kept')
  t.strictSame(again.baselines.get('test/full.test.ts').reached, reached)
  writeFileSync(join(root, 'test/fails.test.ts'), 'throw new Error("no")\n')
  t.equal((await measure([edge])).ran, 1, 'a test that changed is measured again')
  writeFileSync(join(root, 'lib/full.ts'), SOURCE.replace('3', '4'))
  t.equal((await measure([edge])).ran, 2, 'all are when a source changed')
})

t.test(
  'test files of a batch run in one process, and each counts what it runs and what its modules do at their load',
  async (t) => {
    const source = `export const LIMIT = 1 + 2\nexport const isFull = (n: number) => n >= LIMIT\nexport const never = (n: number) => n > 1\n`
    const test = (assertion: string) => `import t from 'tap'\nimport { isFull } from '../lib/full.ts'\n${assertion}\n`
    const tests = [
      'test/load.test.ts',
      'test/fails.test.ts',
      'test/call.test.ts',
      'test/ends.test.ts',
      'test/after.test.ts',
    ]
    const tree = {
      '.taprc': 'node-arg: ["--no-warnings"]\n',
      'package.json': '{"type":"module"}\n',
      'lib/full.ts': source,
      'test/load.test.ts': test('t.type(isFull, "function")'),
      'test/fails.test.ts': test('t.equal(isFull(3), false)'),
      'test/call.test.ts': test('t.equal(isFull(3), true)'),
      'test/ends.test.ts': test('process.exit(0)'),
      'test/after.test.ts': `import t from 'tap'\nt.pass()\n`,
    }
    const root = createTree(t, tree)
    for (const part of ['groups', 'mutations'])
      cpSync(new URL(`../${part}`, import.meta.url), join(root, 'test', part), { recursive: true })
    mkdirSync(join(root, 'node_modules'))
    symlinkSync(new URL('../../node_modules/tap', import.meta.url), join(root, 'node_modules/tap'))
    const mutants = findMutants('lib/full.ts', source)
    const baselines = new Baselines(root, Object.keys(tree), mutants)
    const lines: string[] = []
    await baselines.measure([tests], {
      ...{ copies: [{ folder: root }], log: (line: string) => lines.push(line) },
      imports: (_, test) => test !== 'test/after.test.ts',
    })
    t.equal(lines.length, 5)
    const [sum, edge] = mutants.map(({ start }) => `lib/full.ts:${start}`)
    const reachedBy = (test: string) => baselines.get(test).reached.toSorted()
    t.strictSame(reachedBy('test/load.test.ts'), [sum])
    t.strictSame(reachedBy('test/call.test.ts'), [sum, edge])
    t.strictSame(reachedBy('test/after.test.ts'), [], 'runs alone: the file before it ended the process')
    t.strictSame(
      baselines.listFailing().map(([test]) => test),
      ['test/fails.test.ts'],
    )
  },
)
