// Changes one small thing of the code at a time, and shows which changes no test notices.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { integer, text, UsageError } from '../../lib/commands/options.ts'
import { runCommand } from '../../lib/commands/run-command.ts'
import { GROUPS, listFiles as listGroup } from '../groups/groups.ts'
import { createRandom } from '../support/seeded-random.ts'
import { Baselines } from './baselines.ts'
import { ClosestTests, listTests } from './closest-tests.ts'
import { findMutants, type Mutant } from './find-mutants.ts'
import { endTests, runTest } from './run-test.ts'
import { listFiles, WorkingCopy } from './working-copy.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = [
  'indexer',
  'db/queries',
  'chain',
  'launchpads',
  'venues',
  'routes',
  'plugins',
  'lib',
  'records',
  'features',
  'audit',
  'sdk/src',
  'config',
]
const GENERATED = /^(chain\/abi\/|sdk\/src\/(schema|operations|rooms|abi\/index|transactions\/contracts)\.ts$)/
/** A test that takes so much longer than without a mutant has noticed it. */
const HANG_MS = 30_000

interface Verdict {
  mutant: Mutant
  /** The test that noticed it, with what it said. */
  killedBy: string | null
  tests: readonly string[]
}

interface Settings {
  sample: number
  seed: number
  only: string | undefined
  tests: number
  jobs: number
}

async function run({ sample, seed, only, tests, jobs }: Settings): Promise<void> {
  const files = listFiles(ROOT)
  const mutants = files.filter(isMutated).flatMap((path) => findMutants(path, readFileSync(join(ROOT, path), 'utf8')))
  const candidates = only === undefined ? mutants : mutants.filter((mutant) => isIn(mutant, only))
  if (candidates.length === 0) throw new UsageError(`--only is ${only}; expected a part of ${FOLDERS.join(', ')}`)
  const chosen = draw(candidates, sample, seed)
  console.log(`${chosen.length} of ${candidates.length} mutants, seed ${seed}`)

  const baselines = new Baselines(ROOT, files, mutants)
  const closest = new ClosestTests(ROOT, listTests(ROOT))
  const folder = mkdtempSync(join(tmpdir(), 'slipway-mutations-'))
  const end = () => {
    endTests()
    rmSync(folder, { recursive: true, force: true })
  }
  process.once('exit', end)
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => process.exit(2))

  const copies = Array.from({ length: jobs }, (_, job) => new WorkingCopy(ROOT, files, join(folder, String(job))))
  const imported = new Set(chosen.flatMap(({ path }) => closest.find(path)))
  const groups = Object.values(GROUPS).map((patterns) => listGroup(patterns).map((file) => `test/${file}`))
  const grouped = new Set(groups.flat())
  const batches = [...groups, ...[...imported].filter((test) => !grouped.has(test)).map((test) => [test])]
  await baselines.measure(
    batches.map((batch) => batch.filter((test) => imported.has(test))),
    { copies, imports: (path, test) => closest.imports(path, test), log: console.log },
  )
  const verdicts: Verdict[] = []
  const queue = [...chosen]
  const work = async (copy: WorkingCopy) => {
    for (let mutant = queue.shift(); mutant; mutant = queue.shift()) {
      const verdict = await judge(mutant, { copy, closest, baselines, tests })
      verdicts.push(verdict)
      console.log(`${verdicts.length}/${chosen.length} ${describe(verdict)}`)
    }
  }
  await Promise.all(copies.map(work))
  report(verdicts, baselines)
}

const isMutated = (path: string): boolean =>
  /\.ts$/.test(path) && FOLDERS.some((folder) => path.startsWith(`${folder}/`)) && !GENERATED.test(path)

/** `only`: a folder, a file, or a line of a file. */
function isIn({ path, line }: Mutant, only: string): boolean {
  const [place = '', wanted] = only.replace(/\/$/, '').split(':')
  return (path === place || path.startsWith(`${place}/`)) && (wanted === undefined || line === Number(wanted))
}

/** The same for the same seed and code, in the order of the files, whose tests are then run one after another. */
function draw(mutants: readonly Mutant[], count: number, seed: number): Mutant[] {
  const random = createRandom(seed)
  const left = [...mutants]
  const drawn = Array.from({ length: Math.min(count, left.length) }, () => left.splice(random(left.length), 1)).flat()
  return drawn.sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : a.start - b.start))
}

interface Means {
  copy: WorkingCopy
  closest: ClosestTests
  baselines: Baselines
  tests: number
}

async function judge(mutant: Mutant, { copy, closest, baselines, tests }: Means): Promise<Verdict> {
  const reaching = closest.find(mutant.path).flatMap((test) => {
    const { failure, milliseconds, reached } = baselines.get(test)
    const isReached = reached.includes(`${mutant.path}:${mutant.start}`) || closest.isBuilt(mutant.path, test)
    if (failure !== null || !isReached) return []
    const inFile = reached.filter((one) => one.startsWith(`${mutant.path}:`)).length
    return [{ test, milliseconds, inFile, share: inFile / reached.length }]
  })
  // The tests whose paths are close, those that reach most of the file, and those that reach little else.
  const rankings = [
    reaching,
    reaching.toSorted((a, b) => b.inFile - a.inFile),
    reaching.toSorted((a, b) => b.share - a.share),
  ]
  const inTurn = reaching.flatMap((_, place) => rankings.flatMap((ranking) => ranking.slice(place, place + 1)))
  // A short one shows a killed mutant soonest.
  const chosen = [...new Set(inTurn)].slice(0, tests).sort((a, b) => a.milliseconds - b.milliseconds)
  const names = chosen.map(({ test }) => test)
  return copy.with(mutant, async () => {
    for (const { test, milliseconds } of chosen) {
      const { result, reason } = await runTest({ folder: copy.folder, test, timeoutMs: milliseconds + HANG_MS })
      if (result !== 'passed') return { mutant, killedBy: `${test}: ${reason}`.slice(0, 120), tests: names }
    }
    return { mutant, killedBy: null, tests: names }
  })
}

function describe({ mutant, killedBy, tests }: Verdict): string {
  const shown = (code: string) => JSON.stringify(code.replace(/\s+/g, ' ').slice(0, 60))
  const change = `${mutant.path}:${mutant.line} ${shown(mutant.original)} -> ${shown(mutant.replacement)}`
  if (killedBy !== null) return `killed ${change} by ${killedBy}`
  return `SURVIVED ${change} ${tests.length > 0 ? `passes ${tests.join(' ')}` : 'is reached by no close test'}`
}

function report(verdicts: readonly Verdict[], baselines: Baselines): void {
  const survivors = verdicts.filter(({ killedBy }) => killedBy === null)
  const killed = verdicts.length - survivors.length
  for (const [test, failure] of baselines.listFailing())
    console.log(`Not used, fails without a mutant: ${test}: ${failure}`)
  if (survivors.length > 0) console.log(`\nSurvivors:\n${survivors.map(describe).sort().join('\n')}`)
  console.log(`\n${killed} of ${verdicts.length} killed: ${((100 * killed) / verdicts.length).toFixed(1)} %`)
}

await runCommand({
  command: 'npm run test:mutations',
  about: `Changes one small thing of the code, a mutant, runs tests that reach it until one fails, and prints the mutants that survive.
The tests are chosen by what they reach without a mutant: all are run once for that, and again when anything but tests changes.
A condition, an edge, an operator, a call or a word of SQL is changed, in a copy of the working tree.`,
  options: {
    sample: integer('<count>', 'how many mutants', { min: 1, max: 100_000 }, 150),
    seed: integer('<number>', 'chooses them; default random', { min: 0, max: 2 ** 32 - 1 }),
    only: text('<path>', `a folder, file or line such as chain/price.ts:12; default ${FOLDERS.join(', ')}`),
    tests: integer('<count>', 'test files that are run for a mutant, at most', { min: 1, max: 100 }, 9),
    jobs: integer('<count>', 'mutants at the same time', { min: 1, max: 64 }, availableParallelism()),
  },
  notes: `A test that takes ${HANG_MS / 1_000} seconds longer than without a mutant has noticed it, too. TEST_DATABASE_URL and TEST_REDIS_URL are used as by
npm test; tests that are ended early leave their databases on that server.`,
  exitCodes: '0 all mutants were tried, 2 it could not run.',
  run: (values) => run({ ...values, seed: values.seed ?? Math.floor(Math.random() * 2 ** 32) }),
})
