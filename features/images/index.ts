import { hash } from 'node:crypto'
import fp from 'fastify-plugin'
import type { Config } from '../../config/config.ts'
import { AppError } from '../../errors.ts'
import { type ChildPool, createChildPool } from '../../lib/child-pool/child-pool.ts'
import { ChildError } from '../../lib/child-pool/start-child.ts'
import type { ImageJob, ImageRejection, ImageResult, Picture } from '../../lib/images/image-job.ts'
import { imageLimits, looksLikeImage, looksLikeSvg } from '../../lib/images/image-limits.ts'
import { BlockedContentError, type CrashBlocklist, createCrashBlocklist } from './crash-blocklist.ts'
import { childSandbox } from './sandbox.ts'
import { watchPools } from './watch-pools.ts'

export interface EncodedImage {
  bytes: Buffer
  width: number
  height: number
  /** The digest of `bytes`, in hexadecimal. */
  sha256: string
}

export interface Images extends CrashBlocklist {
  /**
   * Re-encodes an upload as WebP: upright, sRGB, no metadata, first frame only. The queue is fair per wallet. Rejects
   * with OVERLOADED if the job does not start or finish in time.
   */
  encodeUpload(bytes: Buffer, wallet: string): Promise<EncodedImage>
  /** Like encodeUpload, for the image of a token's metadata, which may be an SVG. The queue is fair per creator. */
  encodeMetadataImage(bytes: Buffer, creator: string): Promise<EncodedImage>
  /** A square PNG of an upload, `side` pixels wide, for a link preview. */
  makeThumbnail(bytes: Buffer, side: number): Promise<Buffer>
  /** Adds another plugin's pool to the metrics. */
  watch(name: string, pool: ChildPool<never, unknown>): void
}

declare module 'fastify' {
  interface FastifyInstance {
    images: Images
  }
}

const KINDS = 'a PNG, JPEG, WebP or GIF image'
const MB = 1024 * 1024

/** The largest accepted image takes up to 2 s of CPU time and 450 MB. */
const limits = { startMs: 20_000, wallMs: 20_000, cpuMs: 10_000, bytes: 768 * MB }

type Options = { config: Pick<Config, 'imageWorkers'> }

/**
 * Decorates the app with `images`, which decodes untrusted images in child processes. Uploads, metadata images and
 * thumbnails have separate pools, so that they do not delay each other.
 */
export default fp<Options>(
  async (app, { config }) => {
    const watch = watchPools(app.metrics)
    const createPool = (
      name: string,
      maxChildren: number,
      queue: { total: number; perOwner: number; timeoutMs: number },
    ) => {
      const entry = new URL('../../lib/images/worker.ts', import.meta.url)
      const pool = createChildPool<ImageJob, ImageResult>({
        ...{ ...childSandbox, entry, limits, maxChildren, queue },
        heapMb: 128,
        idleMs: 60_000,
      })
      app.addHook('onClose', () => pool.close())
      watch(name, pool)
      return pool
    }
    const uploads = createPool('uploads', config.imageWorkers, { total: 32, perOwner: 8, timeoutMs: 8_000 })
    const metadata = createPool('metadata', 1, { total: 16, perOwner: 16, timeoutMs: 60_000 })
    const thumbnails = createPool('thumbnails', 1, { total: 64, perOwner: 64, timeoutMs: 5_000 })

    const refused = app.metrics.counter(
      'images_refused_from_memory_total',
      'Images rejected because they crashed a child process before',
    )
    const blocklist = createCrashBlocklist({ db: app.databases.reads, log: app.log, onBlocked: () => refused.inc() })

    const encode = async (pool: typeof uploads, bytes: Buffer, owner: string, svg: boolean): Promise<EncodedImage> => {
      if (!looksLikeImage(bytes) && !(svg && looksLikeSvg(bytes)))
        throw new AppError('UNSUPPORTED_MEDIA_TYPE', { wants: KINDS })
      const job: ImageJob = { kind: 'encode', bytes, svg }
      const result = await blocklist.guard(bytes, () => pool.run(job, owner)).catch(rejectFailure)
      const { bytes: encoded, width, height } = 'problem' in result ? rejectResult(result) : result
      return { bytes: toBuffer(encoded), width, height, sha256: hash('sha256', encoded, 'hex') }
    }

    app.decorate('images', {
      guard: blocklist.guard,
      encodeUpload: (bytes: Buffer, wallet: string) => encode(uploads, bytes, wallet, false),
      encodeMetadataImage: (bytes: Buffer, creator: string) => encode(metadata, bytes, creator, true),
      makeThumbnail: async (bytes: Buffer, side: number) => {
        const job: ImageJob = { kind: 'thumbnail', bytes, side }
        const made = (await blocklist.guard(bytes, () => thumbnails.run(job)).catch(rejectFailure)) as Picture
        return toBuffer(made.bytes)
      },
      watch,
    })
  },
  { name: 'images', dependencies: ['metrics', 'services'] },
)

const toBuffer = ({ buffer, byteOffset, byteLength }: Uint8Array) => Buffer.from(buffer, byteOffset, byteLength)

const broken = (problem: string, cause?: unknown) =>
  new AppError('INVALID_INPUT', { field: 'body.file', problem }, { cause })

/** A job that did not run in time may be retried: its image is not invalid. */
function rejectFailure(error: unknown): never {
  if (error instanceof BlockedContentError) throw broken('is a broken image', error)
  if (!(error instanceof ChildError)) throw error
  if (!error.isJobFault) throw new AppError('OVERLOADED', {}, { retryAfter: 5, cause: error })
  throw broken(error.reason === 'cpu' ? 'takes too long to decode' : 'is a broken image', error)
}

function rejectResult({ problem }: ImageRejection): never {
  if (problem === 'format') throw new AppError('UNSUPPORTED_MEDIA_TYPE', { wants: KINDS })
  if (problem === 'size') throw new AppError('IMAGE_TOO_LARGE', { maximum: imageLimits.side })
  throw broken('is a broken image')
}
