import type { Readable } from 'node:stream'

/** A byte range, inclusive at both ends as in HTTP. */
export interface ByteRange {
  start: number
  end: number
}

export interface StoredFile {
  /** Size of the whole file in bytes, even if the body is a range. */
  size: number
  body: Readable
}

/**
 * Content-addressed storage of uploads: a name is derived from the content's hash, so files never change. Every method rejects
 * with STORAGE_UNAVAILABLE if the storage cannot be reached.
 */
export interface Storage {
  /** Stores a file atomically. Idempotent. */
  put(name: string, bytes: Uint8Array, contentType: string): Promise<void>
  /** Size in bytes; null if the file does not exist. */
  measure(name: string): Promise<number | null>
  /** Null if the file does not exist. A range must lie within the file. */
  open(name: string, range?: ByteRange): Promise<StoredFile | null>
  close(): Promise<void>
}

/** Valid upload names: the SHA-256 of the content, and an extension for its type. */
export const UPLOAD_NAME = /^[0-9a-f]{64}\.(webp|json)$/
