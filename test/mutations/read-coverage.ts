import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

interface Range {
  startOffset: number
  endOffset: number
  count: number
}

interface Script {
  url: string
  functions: readonly { ranges: readonly Range[] }[]
}

export interface Coverage {
  /** `path:offset` of what ran. */
  reached: ReadonlySet<string>
  /** The part of it that runs once, when its module is loaded. */
  loaded: ReadonlySet<string>
}

/**
 * Which of the given offsets of each file ran, from what V8 wrote for each process. Node replaces types with spaces, so the
 * offsets are those of the source.
 */
export function readCoverage(
  reports: string,
  folder: string,
  offsets: ReadonlyMap<string, readonly number[]>,
): Coverage {
  const reached = new Set<string>()
  const loaded = new Set<string>()
  const paths = new Map([...offsets.keys()].map((path) => [pathToFileURL(join(folder, path)).href, path]))
  for (const name of readdirSync(reports)) {
    const { result } = JSON.parse(readFileSync(join(reports, name), 'utf8')) as { result: readonly Script[] }
    for (const { url, functions } of result) {
      const path = paths.get(url.replace(/\?.*$/, ''))
      if (path === undefined) continue
      for (const offset of offsets.get(path) ?? []) {
        if (countRuns(functions, offset) === 0) continue
        reached.add(`${path}:${offset}`)
        if (isAtTopLevel(functions, offset)) loaded.add(`${path}:${offset}`)
      }
    }
  }
  return { reached, loaded }
}

/** The innermost range that contains an offset counts. */
function countRuns(functions: Script['functions'], offset: number): number {
  let innermost: Range | undefined
  for (const { ranges } of functions)
    for (const range of ranges) {
      if (range.startOffset > offset || range.endOffset <= offset) continue
      if (!innermost || range.endOffset - range.startOffset <= innermost.endOffset - innermost.startOffset)
        innermost = range
    }
  return innermost?.count ?? 0
}

/** The first range of a function is its whole; the module is the one that contains the others. */
const isAtTopLevel = (functions: Script['functions'], offset: number): boolean =>
  functions.filter(({ ranges: [whole] }) => whole && whole.startOffset <= offset && offset < whole.endOffset).length ===
  1
