import type { Readable } from 'node:stream'
import type { S3Client } from '@aws-sdk/client-s3'
import { AppError } from '../../errors.ts'
import type { Storage } from './storage.ts'

const ATTEMPTS = 3
const CONNECT_MS = 2_000
const REQUEST_MS = 10_000

export interface S3Settings {
  bucket: string
  /** null: Amazon S3. */
  endpoint: string | null
  region: string
  credentials: { accessKeyId: string; secretAccessKey: string } | null
}

/**
 * Stores uploads in Amazon S3 or a compatible service. Without configured credentials the SDK uses its default chain: AWS_*
 * variables, a profile, the machine's role.
 */
export function createS3Storage({ bucket, endpoint, region, credentials }: S3Settings): Storage {
  let client: Promise<S3Client> | undefined
  // Loaded on demand: the SDK is large, and folder storage does not need it.
  const load = () => import('@aws-sdk/client-s3')
  const connect = async () => {
    const { S3Client } = await load()
    return new S3Client({
      region,
      maxAttempts: ATTEMPTS,
      requestHandler: { connectionTimeout: CONNECT_MS, requestTimeout: REQUEST_MS, throwOnRequestTimeout: true },
      ...(endpoint && { endpoint, forcePathStyle: true }),
      ...(credentials && { credentials: { ...credentials } }),
    })
  }
  const run = async <T>(work: (client: S3Client) => Promise<T>): Promise<T> => {
    client ??= connect()
    try {
      return await work(await client)
    } catch (cause) {
      const { httpStatusCode } = (cause as { $metadata?: { httpStatusCode?: number } }).$metadata ?? {}
      throw new AppError(httpStatusCode === 507 ? 'STORAGE_FULL' : 'STORAGE_UNAVAILABLE', {}, { cause, retryAfter: 1 })
    }
  }

  return {
    put: (Key, Body, ContentType) =>
      run(async (s3) => {
        const { PutObjectCommand } = await load()
        const CacheControl = 'public, max-age=31536000, immutable'
        await s3.send(new PutObjectCommand({ Bucket: bucket, Key, Body, ContentType, CacheControl }))
      }),
    measure: (Key) =>
      run(async (s3) => {
        const { HeadObjectCommand } = await load()
        const found = await orNull(s3.send(new HeadObjectCommand({ Bucket: bucket, Key })))
        return found && (found.ContentLength ?? 0)
      }),
    open: (Key, range) =>
      run(async (s3) => {
        const { GetObjectCommand } = await load()
        const Range = range && `bytes=${range.start}-${range.end}`
        const found = await orNull(s3.send(new GetObjectCommand({ Bucket: bucket, Key, ...(Range && { Range }) })))
        if (!found?.Body) return null
        // In Node the body is a Readable; the SDK's type includes browser streams.
        const size = Number(found.ContentRange?.split('/')[1] ?? found.ContentLength ?? 0)
        return { size, body: found.Body as Readable }
      }),
    close: async () => (await client?.catch(() => undefined))?.destroy(),
  }
}

/** Maps a missing object to null by its status: error names differ between S3 implementations. */
async function orNull<T>(reading: Promise<T>): Promise<T | null> {
  try {
    return await reading
  } catch (error) {
    const { $metadata, name } = error as { $metadata?: { httpStatusCode?: number }; name?: string }
    if ($metadata?.httpStatusCode === 404 && name !== 'NoSuchBucket') return null
    throw error
  }
}
