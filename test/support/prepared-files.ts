import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { MemoryFS, PGlite } from '@electric-sql/pglite'

/** A folder in memory: the paths below it, each folder before what it holds. */
export interface Files {
  folders: readonly string[]
  contents: ReadonlyMap<string, Uint8Array>
}

export async function readFiles(root: string): Promise<Files> {
  const folders: string[] = []
  const contents = new Map<string, Uint8Array>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) folders.push(relative(root, path))
    else contents.set(relative(root, path), new Uint8Array(await readFile(path)))
  }
  return { folders: folders.sort(), contents }
}

/** A data directory in memory that begins with a copy of these files. PGlite unpacks an archive in six times the time. */
export class PreparedFiles extends MemoryFS {
  readonly #files: Files

  constructor(files: Files) {
    super()
    this.#files = files
  }

  override async initialSyncFs(): Promise<void> {
    const { FS } = (this.pg as PGlite).Module
    const root = PGlite.paths.PGDATA
    FS.mkdirTree(root)
    for (const path of this.#files.folders) FS.mkdir(`${root}/${path}`)
    for (const [path, content] of this.#files.contents) FS.writeFile(`${root}/${path}`, content)
  }
}
