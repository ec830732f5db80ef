import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import type { Test } from 'tap'

export const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const run = promisify(execFile)

/** An empty project into which the packed SDK was installed. */
export interface Project {
  folder: string
  /** Where the SDK is in it. */
  sdk: string
  /** Names of the files that the tarball holds. */
  files: string[]
  load(): Promise<typeof import('../../../sdk/src/index.ts')>
  loadHelpers(): Promise<typeof import('../../../sdk/src/helpers/index.ts')>
}

const CACHE = join(ROOT, 'node_modules/.cache/test-sdk')

/** An empty project with the packed SDK: what one has who installs it from a registry. */
export async function installSdk(t: Test): Promise<Project> {
  const base = await mkdtemp(join(tmpdir(), 'slipway-sdk-'))
  t.teardown(() => rm(base, { recursive: true, force: true }))
  const folder = join(base, 'project')
  await cp(await prepareProject(), folder, { recursive: true, verbatimSymlinks: true })
  const sdk = join(folder, 'node_modules/@slipway/sdk')
  return {
    folder,
    sdk,
    files: JSON.parse(await readFile(join(folder, 'files.json'), 'utf8')),
    load: () => import(pathToFileURL(join(sdk, 'dist/index.js')).href),
    loadHelpers: () => import(pathToFileURL(join(sdk, 'dist/helpers/index.js')).href),
  }
}

/** The project is made once and copied for each test: building the SDK takes longer than most tests. */
async function prepareProject(): Promise<string> {
  const path = join(CACHE, await fingerprint())
  const isThere = await access(path).then(
    () => true,
    () => false,
  )
  if (isThere) return path
  const base = await mkdtemp(join(tmpdir(), 'slipway-sdk-'))
  const whole = `${path}-${process.pid}`
  try {
    await cp(await makeProject(base), whole, { recursive: true, verbatimSymlinks: true })
    // Test files that begin meanwhile make their own, of which one stays.
    await rename(whole, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOTEMPTY') throw error
    })
  } finally {
    for (const folder of [base, whole]) await rm(folder, { recursive: true, force: true })
  }
  return path
}

/** Hash of everything that the project depends on, so that a change makes another. */
async function fingerprint(): Promise<string> {
  const sources = await readdir(join(ROOT, 'sdk/src'), { recursive: true })
  const files = sources.filter((name) => name.endsWith('.ts')).map((name) => join('sdk/src', name))
  files.push(
    'sdk/package.json',
    'sdk/tsconfig.json',
    'sdk/README.md',
    'test/sdk/support/package.ts',
    'package-lock.json',
  )
  const hash = createHash('sha256')
  for (const file of files.sort()) hash.update(file).update(await readFile(join(ROOT, file)))
  return hash.digest('hex').slice(0, 16)
}

/** Builds a copy of the SDK, packs it and installs the tarball. */
async function makeProject(base: string): Promise<string> {
  const [source, folder] = [join(base, 'source'), join(base, 'project')]
  await mkdir(folder)
  await mkdir(source)
  // The build needs the types of React and TanStack Query.
  await symlink(join(ROOT, 'node_modules'), join(source, 'node_modules'))
  for (const name of ['src', 'package.json', 'tsconfig.json', 'README.md'])
    await cp(join(ROOT, 'sdk', name), join(source, name), { recursive: true })
  const env = {
    PATH: [join(ROOT, 'node_modules/.bin'), process.env.PATH].join(delimiter),
    HOME: process.env.HOME,
    npm_config_cache: join(base, 'cache'),
  }
  const { stdout } = await run('npm', ['pack', '--json', '--foreground-scripts=false'], { cwd: source, env })
  const [packed] = JSON.parse(stdout.slice(stdout.indexOf('['))) as { filename: string; files: { path: string }[] }[]
  if (!packed) throw new Error(`npm pack made nothing: ${stdout}`)
  await writeFile(join(folder, 'package.json'), JSON.stringify({ name: 'empty', private: true, type: 'module' }))
  const tarball = join(source, packed.filename)
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', tarball], { cwd: folder, env })
  // Packages that the author of the project chose, beside the SDK.
  for (const name of ['@tanstack', '@types', 'react', 'react-dom', 'scheduler', 'viem', 'csstype'])
    await symlink(join(ROOT, 'node_modules', name), join(folder, 'node_modules', name))
  await writeFile(join(folder, 'files.json'), JSON.stringify(packed.files.map(({ path }) => path)))
  return folder
}
