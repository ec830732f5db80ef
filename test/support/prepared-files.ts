import { readdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { MemoryFS, PGlite } from '@electric-sql/pglite'

/** A file without the zeros at its end. */
interface Content {
  bytes: Uint8Array
  length: number
}

/** A folder in memory: the paths below it, each folder before what it holds. */
export interface Files {
  folders: readonly string[]
  contents: ReadonlyMap<string, Content>
}

export async function readFiles(root: string): Promise<Files> {
  const folders: string[] = []
  const contents = new Map<string, Content>()
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (entry.isDirectory()) folders.push(relative(root, path))
    else contents.set(relative(root, path), withoutZeros(await readFile(path)))
  }
  return { folders: folders.sort(), contents }
}

function withoutZeros(content: Buffer): Content {
  const end = content.findLastIndex((byte) => byte !== 0) + 1
  return { bytes: Uint8Array.from(content.subarray(0, end)), length: content.length }
}

/** Memory that the kernel fills with zeros is not written, nor used, before something else is written to it. */
function restoreZeros({ bytes, length }: Content): Uint8Array {
  const whole = new Uint8Array(length)
  whole.set(bytes)
  return whole
}

/** What Emscripten's file system in memory keeps of a file; not part of its types. */
interface FileNode {
  contents: Uint8Array
  usedBytes: number
  stream_ops: { write: (stream: { node: FileNode }, ...rest: unknown[]) => number }
}

const shared = new WeakMap<Files, Map<string, Uint8Array>>()

/**
 * A data directory in memory that begins with these files, which databases share until they write to them: most are only
 * read, and copying all of them takes longer than most tests. PGlite unpacks an archive in six times the time of copying.
 */
export class PreparedFiles extends MemoryFS {
  readonly #files: Files

  constructor(files: Files) {
    super()
    this.#files = files
  }

  override async initialSyncFs(): Promise<void> {
    const { FS } = (this.pg as PGlite).Module
    const root = PGlite.paths.PGDATA
    const originals = restoreAll(this.#files)
    FS.mkdirTree(root)
    for (const path of this.#files.folders) FS.mkdir(`${root}/${path}`)
    for (const [path, content] of this.#files.contents) {
      const node = FS.create(`${root}/${path}`) as unknown as FileNode
      const original = originals.get(path) as Uint8Array
      const { stream_ops: operations } = node
      node.contents = original
      node.usedBytes = original.length
      node.stream_ops = {
        ...operations,
        write: (stream, ...rest) => {
          if (stream.node.contents === original) stream.node.contents = restoreZeros(content)
          return operations.write(stream, ...rest)
        },
      }
    }
  }
}

function restoreAll(files: Files): Map<string, Uint8Array> {
  let found = shared.get(files)
  if (!found) {
    found = new Map([...files.contents].map(([path, content]) => [path, restoreZeros(content)]))
    shared.set(files, found)
  }
  return found
}
