import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = (path: string) => realpathSync(fileURLToPath(new URL(path, import.meta.url)))

/** Folders that decoding and rendering child processes may read: code and fonts. */
export const childSandbox = {
  readable: ['../../node_modules', '../../lib', '../link-previews', '../../package.json'].map(folder),
}
