import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Mutant } from './find-mutants.ts'
import { readCoverage } from './read-coverage.ts'
import { runTest } from './run-test.ts'
import type { WorkingCopy } from './working-copy.ts'

/** Without a mutant no test file takes longer. */
const LONGEST_MS = 300_000
const MEASURE_FILES = 'test/mutations/measure-files.ts'

/** A test file without a mutant. */
interface Baseline {
  /** Of the test file. */
  hash: string
  /** Why it is not used: it fails in a copy, or on this machine. */
  failure: string | null
  milliseconds: number
  /** `path:offset` of the mutants that it reaches. */
  reached: readonly string[]
}

interface Measuring {
  copies: readonly Pick<WorkingCopy, 'folder'>[]
  imports(path: string, test: string): boolean
  log(line: string): void
}

/**
 * Runs each test file once without a mutant, to know what it reaches and how long it takes. Kept until it changes, or a file
 * that is no test file: while survivors are killed, tests change.
 */
export class Baselines {
  readonly #root: string
  readonly #cache: string
  readonly #offsets: ReadonlyMap<string, readonly number[]>
  readonly #known: Map<string, Baseline>

  constructor(root: string, files: readonly string[], mutants: readonly Mutant[]) {
    this.#root = root
    const shared = files.filter((path) => !path.endsWith('.test.ts') && !path.startsWith('test/mutations/'))
    this.#cache = join(root, 'node_modules/.cache/slipway/mutations', `${hashFiles(root, shared)}.json`)
    const kept = Object.entries(readCache(this.#cache))
    this.#known = new Map(kept.filter(([test, { hash }]) => files.includes(test) && hash === hashFiles(root, [test])))
    const byPath = Map.groupBy(mutants, ({ path }) => path)
    this.#offsets = new Map([...byPath].map(([path, inside]) => [path, [...new Set(inside.map(({ start }) => start))]]))
  }

  /**
   * Runs those of the test files that are not known, in copies without a mutant. The files of a batch run in one process, which
   * loads the app and PGlite once: `imports` says which of them import a file, and so would run what its module does at its
   * load. `log` gets a line for each test file.
   */
  async measure(batches: readonly (readonly string[])[], { copies, imports, log }: Measuring): Promise<void> {
    const queue = batches
      .map((batch) => batch.filter((test) => !this.#known.has(test)))
      .filter((batch) => batch.length > 0)
    const count = queue.flat().length
    let done = 0
    const keep = (test: string, baseline: Omit<Baseline, 'hash'>) => {
      this.#known.set(test, { hash: hashFiles(this.#root, [test]), ...baseline })
      log(`Baseline ${++done}/${count} ${test} ${(baseline.milliseconds / 1_000).toFixed(1)} s`)
    }
    const work = async ({ folder }: Pick<WorkingCopy, 'folder'>) => {
      for (let batch = queue.shift(); batch; batch = queue.shift()) {
        if (batch.length > 1) for (const one of await this.#runBatch(batch, folder, imports)) keep(...one)
        // Those that follow one that ended the process.
        for (const test of batch) if (!this.#known.has(test)) keep(test, await this.#run(test, folder))
        mkdirSync(dirname(this.#cache), { recursive: true })
        writeFileSync(this.#cache, JSON.stringify(Object.fromEntries(this.#known)))
      }
    }
    await Promise.all(copies.map(work))
  }

  /** Of a test file that was measured. */
  get(test: string): Baseline {
    const known = this.#known.get(test)
    if (!known) throw new Error(`${test} was not measured`)
    return known
  }

  /** The test files that fail without a mutant. */
  listFailing(): [test: string, failure: string][] {
    return [...this.#known].flatMap(([test, { failure }]) => (failure === null ? [] : [[test, failure]]))
  }

  #run(test: string, folder: string): Promise<Omit<Baseline, 'hash'>> {
    return withFolder(async (coverage) => {
      const { result, milliseconds, reason } = await runTest({ folder, test, timeoutMs: LONGEST_MS, coverage })
      const failure = result === 'passed' ? null : reason
      const reached = failure === null ? [...readCoverage(coverage, folder, this.#offsets).reached] : []
      return { failure, milliseconds, reached }
    })
  }

  /** The baselines of those that ended; a file that fails in a batch is left to run alone. */
  #runBatch(batch: readonly string[], folder: string, imports: Measuring['imports']) {
    return withFolder(async (coverage) => {
      const timeoutMs = LONGEST_MS * batch.length
      await runTest({ folder, test: MEASURE_FILES, args: batch, timeoutMs, coverage, isWhole: true })
      const baselines: [test: string, baseline: Omit<Baseline, 'hash'>][] = []
      const atLoad = new Set<string>()
      for (const [index, test] of batch.entries()) {
        const result = join(coverage, `${index}.result`)
        if (!existsSync(result)) break
        const { isPassed, milliseconds } = JSON.parse(readFileSync(result, 'utf8')) as {
          isPassed: boolean
          milliseconds: number
        }
        const { reached, loaded } = readCoverage(join(coverage, String(index)), folder, this.#offsets)
        for (const one of loaded) atLoad.add(one)
        const imported = [...atLoad].filter((one) => imports(one.slice(0, one.lastIndexOf(':')), test))
        if (isPassed)
          baselines.push([test, { failure: null, milliseconds, reached: [...new Set([...reached, ...imported])] }])
      }
      return baselines
    })
  }
}

/** Runs `work` with a folder for V8's coverage. */
async function withFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'slipway-coverage-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function hashFiles(root: string, paths: readonly string[]): string {
  const hash = createHash('sha256')
  for (const path of paths) hash.update(path).update(readFileSync(join(root, path)))
  return hash.digest('hex').slice(0, 16)
}

function readCache(path: string): Record<string, Baseline> {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Record<string, Baseline>
  } catch {
    return {}
  }
}
