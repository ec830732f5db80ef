import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { Mutant } from './find-mutants.ts'
import { readCoverage } from './read-coverage.ts'
import { runTest } from './run-test.ts'
import type { WorkingCopy } from './working-copy.ts'

/** Without a mutant no test file takes longer. */
const LONGEST_MS = 300_000

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

  /** Runs those of the test files that are not known, in copies without a mutant. `log` gets a line for each. */
  async measure(tests: readonly string[], copies: readonly WorkingCopy[], log: (line: string) => void): Promise<void> {
    const queue = tests.filter((test) => !this.#known.has(test))
    const count = queue.length
    let done = 0
    const work = async ({ folder }: WorkingCopy) => {
      for (let test = queue.shift(); test !== undefined; test = queue.shift()) {
        const baseline = await this.#run(test, folder)
        log(`Baseline ${++done}/${count} ${test} ${(baseline.milliseconds / 1_000).toFixed(1)} s`)
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

  async #run(test: string, folder: string): Promise<Baseline> {
    const coverage = mkdtempSync(join(tmpdir(), 'slipway-coverage-'))
    try {
      const { result, milliseconds, reason } = await runTest({ folder, test, timeoutMs: LONGEST_MS, coverage })
      const failure = result === 'passed' ? null : reason
      const reached = failure === null ? [...readCoverage(coverage, folder, this.#offsets)] : []
      const baseline = { hash: hashFiles(this.#root, [test]), failure, milliseconds, reached }
      this.#known.set(test, baseline)
      mkdirSync(dirname(this.#cache), { recursive: true })
      writeFileSync(this.#cache, JSON.stringify(Object.fromEntries(this.#known)))
      return baseline
    } finally {
      rmSync(coverage, { recursive: true, force: true })
    }
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
