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

/**
 * Which of the given offsets of each file ran, from what V8 wrote for each process. Node replaces types with spaces, so the
 * offsets are those of the source.
 */
export function readCoverage(
  reports: string,
  folder: string,
  offsets: ReadonlyMap<string, readonly number[]>,
): Set<string> {
  const reached = new Set<string>()
  const paths = new Map([...offsets.keys()].map((path) => [pathToFileURL(join(folder, path)).href, path]))
  for (const name of readdirSync(reports)) {
    const { result } = JSON.parse(readFileSync(join(reports, name), 'utf8')) as { result: readonly Script[] }
    for (const { url, functions } of result) {
      const path = paths.get(url.replace(/\?.*$/, ''))
      if (path === undefined) continue
      for (const offset of offsets.get(path) ?? []) if (hasRun(functions, offset)) reached.add(`${path}:${offset}`)
    }
  }
  return reached
}

/** The innermost range that contains an offset counts. */
function hasRun(functions: Script['functions'], offset: number): boolean {
  let innermost: Range | undefined
  for (const { ranges } of functions)
    for (const range of ranges) {
      if (range.startOffset > offset || range.endOffset <= offset) continue
      if (!innermost || range.endOffset - range.startOffset <= innermost.endOffset - innermost.startOffset)
        innermost = range
    }
  return innermost !== undefined && innermost.count > 0
}
