import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyBaseLogger } from 'fastify'
import { LRUCache } from 'lru-cache'
import type { Db } from '../../db/client.ts'
import { hasFailed, storeFailure } from '../../db/queries/failed-images.ts'
import { ChildError } from '../../lib/child-pool/start-child.ts'

/** Thrown for content that has made a child process crash or exceed its limits before. */
export class BlockedContentError extends Error {
  override readonly name = 'BlockedContentError'
}

export interface CrashBlocklist {
  /**
   * Runs work on untrusted content, identified by its SHA-256. Content that makes a child process crash or exceed its
   * limits is stored; later calls reject with BlockedContentError, in every process, until the version of a decoder
   * changes.
   */
  guard<T>(content: string | Uint8Array, work: () => Promise<T>): Promise<T>
}

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(new URL(`../../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version

/** A new version may decode content that this one fails on. */
const installed = ['sharp', '@resvg/resvg-js', 'satori'].map(versionOf).join(' ')

interface Options {
  db: Db
  log: FastifyBaseLogger
  onBlocked: () => void
  /** Versions of the decoding and rendering packages. */
  decoders?: string
}

export function createCrashBlocklist({ db, log, onBlocked, decoders = installed }: Options): CrashBlocklist {
  /** Content that this process blocked recently, for when the database is unavailable. */
  const recent = new LRUCache<string, true>({ max: 1_000 })
  const isKnown = (id: string) => recent.has(id) || hasFailed(db, { id, decoders }).catch(() => false)
  return {
    guard: async (content, work) => {
      const id = hash('sha256', content, 'hex')
      if (await isKnown(id)) {
        recent.set(id, true)
        onBlocked()
        throw new BlockedContentError('It has ended a child before')
      }
      try {
        return await work()
      } catch (error) {
        if (error instanceof ChildError && error.isJobFault) {
          log.warn({ err: error, content: id }, 'A child process ended under an image; the image is not tried again')
          recent.set(id, true)
          await storeFailure(db, { id, decoders, reason: error.reason }).catch((err: unknown) =>
            log.warn({ err, content: id }, 'That an image failed could not be stored'),
          )
        }
        throw error
      }
    },
  }
}
