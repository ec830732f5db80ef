import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tagOf } from '../../lib/http/caching-headers.ts'

/** A static file of the web client. */
export interface Asset {
  body: Buffer
  /** Compressed by the build; absent for files that do not gain from it. */
  br?: Buffer
  gzip?: Buffer
  type: string
  etag: string
  /** The name contains a hash of the content. */
  immutable: boolean
}

export interface WebBuild {
  /** The key is the path below /app/, such as `assets/index-abc.js`. */
  assets: ReadonlyMap<string, Asset>
  /** The page, split around its title, where the head of a token page is inserted. */
  page: readonly [before: string, after: string]
  /** Sources of the page's inline scripts and styles, as a Content-Security-Policy names them. */
  inline: { scripts: readonly string[]; styles: readonly string[] }
}

const contentTypes: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}

/** Reads a build of the web client into memory; null if the folder has none. */
export async function readBuild(folder: URL): Promise<WebBuild | null> {
  const html = await readFile(new URL('index.html', folder), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
  if (html === null) return null
  const [before, after] = html.split(/<title>[^<]*<\/title>/)
  if (before === undefined || after === undefined) throw new Error('index.html of the web client has no title')
  const assets = new Map<string, Asset>()
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  for (const entry of entries) {
    const type = contentTypes[extname(entry.name)]
    if (!entry.isFile() || !type) continue
    const file = join(entry.parentPath, entry.name)
    const path = relative(fileURLToPath(folder), file).replaceAll(sep, '/')
    const [body, br, gzip] = await Promise.all([readFile(file), readVariant(file, 'br'), readVariant(file, 'gz')])
    assets.set(path, {
      body,
      ...(br && { br }),
      ...(gzip && { gzip }),
      type,
      etag: tagOf(body),
      immutable: path.startsWith('assets/'),
    })
  }
  return {
    assets,
    page: [before, after],
    inline: { scripts: hashInline(html, 'script'), styles: hashInline(html, 'style') },
  }
}

/** Hashes of the inline elements of a kind, as in `'sha256-…'`. Those with attributes load a file. */
const hashInline = (html: string, kind: 'script' | 'style'): string[] =>
  [...html.matchAll(new RegExp(`<${kind}>([\\s\\S]*?)</${kind}>`, 'g'))].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )

const readVariant = (file: string, ending: string) => readFile(`${file}.${ending}`).catch(() => undefined)
