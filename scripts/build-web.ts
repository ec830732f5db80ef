// Builds the web client into web/dist, with compressed variants of its files. npm runs it after an installation.
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { flag } from '../lib/commands/options.ts'
import { runCommand } from '../lib/commands/run-command.ts'

const WEB = new URL('../web/', import.meta.url)
const COMPRESSED = /\.(js|css|svg|json|txt|webmanifest)$/

async function buildWeb(ifInstalled: boolean): Promise<void> {
  const vite = await import('vite').catch((error: NodeJS.ErrnoException) => {
    if (ifInstalled && error.code === 'ERR_MODULE_NOT_FOUND') return null
    throw error
  })
  if (vite === null) return console.log('The web client is not built: its build tools are not installed.')
  await vite.build({ configFile: fileURLToPath(new URL('vite.config.ts', WEB)), logLevel: 'warn' })
  const { files, bytes } = await compress(new URL('dist/', WEB))
  console.log(`Built the web client: ${files} compressed files, ${Math.round(bytes / 1024)} kB gzipped.`)
}

/** Writes .br and .gz beside each file that gains from it. */
async function compress(folder: URL): Promise<{ files: number; bytes: number }> {
  let [files, bytes] = [0, 0]
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !COMPRESSED.test(entry.name)) continue
    const path = `${entry.parentPath}/${entry.name}`
    const body = await readFile(path)
    const gzip = gzipSync(body, { level: 9 })
    await writeFile(`${path}.gz`, gzip)
    const params = { [constants.BROTLI_PARAM_SIZE_HINT]: body.length }
    await writeFile(`${path}.br`, brotliCompressSync(body, { params }))
    files += 1
    bytes += gzip.length
  }
  return { files, bytes }
}

await runCommand({
  command: 'npm run build:web',
  about: `Builds the web client into web/dist: static files, which the service serves under /app. To serve them from another
origin than the API, set VITE_API_URL to the URL of the API.`,
  options: { 'if-installed': flag('do nothing where the build tools are not installed') },
  exitCodes: '0 built, or not installed (--if-installed); 2 it could not be built.',
  run: ({ 'if-installed': ifInstalled }) => buildWeb(ifInstalled),
})
