import { globSync, readFileSync } from 'node:fs'
import { join, normalize } from 'node:path/posix'

const IMPORT = /(?:^import|^export|^\} from|\bimport\(|\bnew URL\()(?! type\b)[^'\n]*'(\.{1,2}\/[^']+\.tsx?)'/gm

/** Builds the SDK from its sources, which tests then load as a package, or in a browser. */
const SDK_BUILDER = 'test/sdk/support/package.ts'
const SDK_ENTRIES = ['', 'api/', 'helpers/', 'react/'].map((folder) => `sdk/src/${folder}index.ts`)
/** What these files run without importing it. */
const RUN: Readonly<Record<string, readonly string[]>> = {
  [SDK_BUILDER]: SDK_ENTRIES,
  'test/acceptance/support/service.ts': ['server.ts'],
  'test/indexer/fixtures/service-process.ts': ['server.ts'],
}

/** The source files that each test file imports, directly or not, with the number of imports between them. */
export class ClosestTests {
  readonly #distances = new Map<string, ReadonlyMap<string, number>>()

  /** `tests`: the candidates, below the root. */
  constructor(root: string, tests: readonly string[]) {
    const imports = new Map<string, readonly string[]>()
    const importsOf = (path: string): readonly string[] => {
      const known = imports.get(path)
      if (known) return known
      const read = [...readImports(root, path), ...(RUN[path] ?? [])]
      imports.set(path, read)
      return read
    }
    for (const test of tests) {
      const distances = new Map([[test, 0]])
      for (const [path, distance] of distances)
        for (const imported of importsOf(path)) if (!distances.has(imported)) distances.set(imported, distance + 1)
      this.#distances.set(test, distances)
    }
  }

  /**
   * The tests that import a file, the closest first: few imports lie between them, or their paths have words in common. Most
   * routes are as far from every test of the app.
   */
  find(path: string): string[] {
    const ranked = [...this.#distances].flatMap(([test, distances]) => {
      const distance = distances.get(path)
      return distance === undefined ? [] : [{ test, score: distance - countCommonWords(path, test) }]
    })
    return ranked.sort((a, b) => a.score - b.score || (a.test < b.test ? -1 : 1)).map(({ test }) => test)
  }

  /** Whether the test imports the file, directly or not. */
  imports(path: string, test: string): boolean {
    return this.#distances.get(test)?.has(path) === true
  }

  /** Whether the test loads the file as a part of the built SDK, so that V8 knows nothing of the source. */
  isBuilt(path: string, test: string): boolean {
    return path.startsWith('sdk/src/') && this.#distances.get(test)?.has(SDK_BUILDER) === true
  }
}

/** Test files that run one at a time in seconds. */
export const listTests = (root: string): string[] =>
  globSync('test/**/*.test.ts', { cwd: root, exclude: ['test/groups/**', 'test/long/**', 'test/mutations/**'] }).sort()

function readImports(root: string, path: string): string[] {
  let source: string
  try {
    source = readFileSync(join(root, path), 'utf8')
  } catch {
    return []
  }
  return [...source.matchAll(IMPORT)].map(([, specifier = '']) => normalize(join(path, '..', specifier)))
}

const wordsOf = (part: string): string[] => part.split('-').map((word) => word.replace(/s$/, ''))

/** Words of the file's name count most: most routes are equally far from every test of the app. */
function countCommonWords(path: string, test: string): number {
  const folders = path.split('/')
  const name = folders.pop() ?? ''
  const known = new Set(test.split('/').flatMap((part) => wordsOf(part.replace('.test.ts', ''))))
  const count = (parts: readonly string[]) => new Set(parts.flatMap(wordsOf).filter((word) => known.has(word))).size
  return 8 * count([name.replace(/\.tsx?$/, '')]) + 4 * count(folders)
}
