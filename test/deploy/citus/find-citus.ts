import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { access, cp, mkdir, readdir, readFile, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CACHE = fileURLToPath(new URL('../../../node_modules/.cache/citus', import.meta.url))
const run = promisify(execFile)
const exists = (path: string) =>
  access(path).then(
    () => true,
    () => false,
  )

/**
 * Where the programs of a PostgreSQL server with the extension Citus are: an installed one (CITUS_INSTALLED names another
 * folder than /usr/lib/postgresql), or one that is built from the unpacked source in CITUS_SOURCE (5 minutes, once), with the headers
 * of PostgreSQL, zstd and lz4 (postgresql-server-dev-15, libzstd-dev, liblz4-dev). undefined where there is neither.
 */
export async function findCitus(): Promise<string | undefined> {
  const root = process.env.CITUS_INSTALLED ?? '/usr/lib/postgresql'
  for (const version of await readdir(root).catch(() => [])) {
    const folder = join(root, version)
    if (await exists(join(folder, 'lib/citus.so'))) return join(folder, 'bin')
  }
  return process.env.CITUS_SOURCE ? await build(process.env.CITUS_SOURCE) : undefined
}

/**
 * Builds it for the installed PostgreSQL, whose headers it needs, and installs it into a copy of that PostgreSQL: a server finds
 * its files relative to its program.
 */
async function build(source: string): Promise<string> {
  const { stdout } = await run('pg_config', [
    '--version',
    '--bindir',
    '--pkglibdir',
    '--sharedir',
    '--includedir-server',
  ])
  const [version, bin, lib, share, headers] = stdout.trim().split('\n') as [string, string, string, string, string]
  const name = createHash('sha256').update(source).update(version).digest('hex').slice(0, 16)
  const built = join(CACHE, name)
  if (await exists(built)) return join(built, bin)
  const folder = `${built}.new`
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  const work = join(folder, 'source')
  await cp(source, work, { recursive: true })
  await removeDuplicate(work, headers)
  // Older than its source, it would be made again by autoconf.
  await utimes(join(work, 'configure'), new Date(), new Date())
  const options = { cwd: work, maxBuffer: 1 << 28 }
  await run('./configure', ['--without-libcurl', '--without-lz4', '--without-zstd'], options)
  const make = ['make', '-s', '-j2', 'with_llvm=no'] as const
  await run('nice', [...make], options)
  const copied = join(folder, 'installed')
  for (const path of [bin, lib, share]) await cp(path, join(copied, path), { recursive: true })
  await run('nice', [...make, 'install', `DESTDIR=${copied}`], options)
  await rm(work, { recursive: true })
  await rename(copied, built)
  await rm(folder, { recursive: true })
  return join(built, bin)
}

const COMPATIBILITY = 'src/include/pg_version_compat.h'

/** Late versions of PostgreSQL 15 declare a function that the extension defines for all of them. */
async function removeDuplicate(source: string, headers: string): Promise<void> {
  if (!(await readFile(join(headers, 'commands/dbcommands.h'), 'utf8')).includes('have_createdb_privilege')) return
  const path = join(source, COMPATIBILITY)
  const text = await readFile(path, 'utf8')
  await writeFile(path, text.replace(/^static inline bool\nhave_createdb_privilege\(void\)\n\{.*?^\}\n/ms, ''))
}
