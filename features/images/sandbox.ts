import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

/** The path as it is written, and where it leads: node_modules may be a link. */
function locate(path: string): string[] {
  const written = fileURLToPath(new URL(path, import.meta.url))
  return [...new Set([written, realpathSync(written)])]
}

/** Folders that decoding and rendering child processes may read: code and fonts. */
export const childSandbox = {
  readable: ['../../node_modules', '../../lib', '../link-previews', '../../package.json'].flatMap(locate),
}
