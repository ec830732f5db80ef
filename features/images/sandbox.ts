import { realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const folder = (path: string) => realpathSync(fileURLToPath(new URL(path, import.meta.url)))

/** What children that decode and draw may read: code, and the fonts among it. */
export const childSandbox = {
  readable: ['../../node_modules', '../../lib', '../link-previews', '../../package.json'].map(folder),
}
