import { registerHooks } from 'node:module'
import { basename } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { FOLDER, GROUPS, listFiles, ROOT } from './groups.ts'
import { usesServers } from './uses-servers.ts'

const FILE_TEST = new URL('./file-test.ts', import.meta.url).href
const FILE_TIMEOUT_MS = 400_000

let current: Test | undefined

/** The test of the file that is being imported. */
export function currentFileTest(): Test {
  if (!current) throw new Error('No test file is being imported')
  return current
}

/**
 * Runs the group that is named like this file: each of its test files as a subtest, which the file imports as `tap`. With
 * TEST_ONLY=servers, those alone that use PostgreSQL or Redis: the others were the same without these servers.
 */
export async function runGroup(url: string): Promise<void> {
  const all = listFiles(GROUPS[basename(url, '.test.ts')] ?? [])
  const files = process.env.TEST_ONLY === 'servers' ? all.filter((file) => usesServers(ROOT, `test/${file}`)) : all
  if (files.length === 0) {
    t.pass('no file of the group uses a server')
    return
  }
  await runFiles(files)
}

/** Runs test files below test/ one after another, each as a subtest. `onEnd` is called before the next one starts. */
export async function runFiles(
  files: readonly string[],
  onEnd?: (file: string, isPassed: boolean) => void,
): Promise<void> {
  const urls = new Map(files.map((file) => [pathToFileURL(FOLDER + file).href, file]))
  registerHooks({
    resolve(specifier, context, next) {
      const file = specifier === 'tap' && urls.get(context.parentURL ?? '')
      // A query for each file, because a module with the same URL is evaluated once.
      return file ? { url: `${FILE_TEST}?${file}`, shortCircuit: true } : next(specifier, context)
    },
  })
  t.setTimeout(FILE_TIMEOUT_MS * files.length)
  // A file that ended the process would end the others without a failure.
  t.plan(files.length)
  for (const [url, file] of urls) {
    const result = await t.test(`test/${file}`, { timeout: FILE_TIMEOUT_MS }, async (test) => {
      current = test
      await import(url)
    })
    onEnd?.(file, result?.ok === true)
  }
}
