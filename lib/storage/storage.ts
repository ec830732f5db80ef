import type { Readable } from 'node:stream'

/** A part of a file; both ends are included, as in HTTP. */
export interface ByteRange {
  start: number
  end: number
}

export interface StoredFile {
  /** Bytes of the whole file, whatever part of it the body is. */
  size: number
  body: Readable
}

/**
 * Where uploads are kept. A name is made from the hash of what it names, so that a file never changes once it is there.
 * Every method rejects with STORAGE_UNAVAILABLE when the storage cannot be reached.
 */
export interface Storage {
  /** Keeps a file, whole or not at all. Keeping it again changes nothing. */
  put(name: string, bytes: Uint8Array, contentType: string): Promise<void>
  /** Size in bytes; null if there is no such file. */
  measure(name: string): Promise<number | null>
  /** Null if there is no such file. A range must lie within it. */
  open(name: string, range?: ByteRange): Promise<StoredFile | null>
  close(): Promise<void>
}

/** What uploads are called: the SHA-256 of their bytes, and an ending that says what they are. Nothing else is a name. */
export const UPLOAD_NAME = /^[0-9a-f]{64}\.(webp|json)$/
