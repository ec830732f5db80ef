import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Mutant } from './find-mutants.ts'

/** What is installed or built, which tests read and git does not know; and what knows which files are of the project. */
const LINKED = ['.git', 'node_modules', 'web/dist', 'web/node_modules', '.tap']

/** The files of a working tree as they are, without ignored ones. */
export const listFiles = (root: string): string[] =>
  execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], { cwd: root, encoding: 'utf8' })
    .split('\0')
    .filter((path) => path !== '' && existsSync(join(root, path)))

/** A copy of the working tree, so that no mutant is ever among the developer's files. */
export class WorkingCopy {
  readonly folder: string

  constructor(root: string, files: readonly string[], folder: string) {
    this.folder = folder
    for (const path of files) {
      mkdirSync(join(folder, dirname(path)), { recursive: true })
      cpSync(join(root, path), join(folder, path))
    }
    for (const path of LINKED)
      if (existsSync(join(root, path))) {
        mkdirSync(join(folder, dirname(path)), { recursive: true })
        symlinkSync(join(root, path), join(folder, path))
      }
  }

  /** Runs `work` while the mutant is in the copy. */
  async with<T>({ path, start, end, replacement }: Mutant, work: () => Promise<T>): Promise<T> {
    const file = join(this.folder, path)
    const source = readFileSync(file, 'utf8')
    writeFileSync(file, source.slice(0, start) + replacement + source.slice(end))
    try {
      return await work()
    } finally {
      writeFileSync(file, source)
    }
  }
}
