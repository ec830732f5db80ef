import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'

const IMPORT = /['"](\.{1,2}\/[^'"\n]+\.ts)['"]/g
const SERVERS = /\bTEST_(DATABASE|REDIS)_URL\b/

/** Whether a test file, or anything of test/ that it imports, reads the URL of a PostgreSQL or Redis server. */
export function usesServers(root: string, file: string): boolean {
  const seen = new Set([file])
  for (const path of seen) {
    const source = readFileSync(join(root, path), 'utf8')
    if (SERVERS.test(source)) return true
    for (const [, specifier = ''] of source.matchAll(IMPORT)) {
      const imported = normalize(join(dirname(path), specifier))
      // Texts of scripts name files below other folders.
      if (imported.startsWith('test/') && existsSync(join(root, imported))) seen.add(imported)
    }
  }
  return false
}
