import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
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
}

/**
 * Builds the SDK, packs it and installs the tarball, as one who has it from a registry. What is built is a copy, so that files
 * of tests can do this side by side.
 */
export async function installSdk(t: Test): Promise<Project> {
  const base = await mkdtemp(join(tmpdir(), 'slipway-sdk-'))
  t.teardown(() => rm(base, { recursive: true, force: true }))
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
  const sdk = join(folder, 'node_modules/@slipway/sdk')
  return {
    folder,
    sdk,
    files: packed.files.map(({ path }) => path),
    load: () => import(pathToFileURL(join(sdk, 'dist/index.js')).href),
  }
}
